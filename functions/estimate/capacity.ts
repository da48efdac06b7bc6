/** An offer as the capacity settings of the infrastructure: what stands below freshet:capacity in a stack's file. */
import type { Offer } from './slots.ts'
import type { Step } from './step.ts'

/** The form of infra's capacity settings; docs/deploy.md has them in full. */
export interface CapacitySettings {
  readonly enabled: boolean
  readonly reservations: readonly {
    readonly name: string
    readonly edition: string
    readonly baseline: number
    readonly max: number
    readonly assign: readonly string[]
  }[]
  readonly commitments: readonly { readonly slots: number; readonly plan: string; readonly edition: string }[]
}

const JOB_TYPE = { query: 'QUERY', load: 'PIPELINE', background: 'BACKGROUND', none: undefined } as const

/** A commitment pays for a baseline; without one, all slots come and go with the work. */
export function capacityOf(steps: readonly Step[], { edition, plan, slots }: Offer): CapacitySettings {
  if (edition === 'ON_DEMAND' || slots === 0) return { enabled: false, reservations: [], commitments: [] }
  const assign = [...new Set(steps.map(({ job }) => JOB_TYPE[job]))].filter(type => type !== undefined)
  const committed = plan === 'ANNUAL' || plan === 'THREE_YEAR'
  return {
    enabled: true,
    reservations: [{ name: 'refresh-slots', edition, baseline: committed ? slots : 0, max: slots, assign }],
    commitments: committed ? [{ slots, plan, edition }] : [],
  }
}
