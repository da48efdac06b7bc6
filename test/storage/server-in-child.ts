/** Cloud Storage in a process of its own, to be killed: prints its address, then lives until then. */
import { systemClock } from '../../local/service.ts'
import { startStorage } from '../../local/storage/index.ts'

const [, , dir = ''] = process.argv
const { url } = await startStorage({ dir, clock: systemClock })
console.log(url)
