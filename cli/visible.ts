/** Texts from outside on their way to a terminal, which would obey their control characters. */

/** All of them but tab and line break: https://unicode.org/charts/PDF/U0000.pdf, U0080.pdf, and what turns the writing direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** With `\u001b` and the like for what a terminal would not show. */
export const showControls = (text: string): string =>
  text.replace(CONTROLS, found => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
