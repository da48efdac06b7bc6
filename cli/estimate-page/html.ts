/** Writes HTML so that no text can become markup: whatever is put into the template is escaped, unless it is HTML itself. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
type Part = Markup | string | number | readonly Markup[]

function encode(part: Part): string {
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  return String(part).replaceAll(/[&<>"']/g, sign => ENTITIES[sign] ?? sign)
}

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    strings.map((text, at) => text + (at < parts.length ? encode(parts[at] ?? '') : '')).join(''),
  )
}
