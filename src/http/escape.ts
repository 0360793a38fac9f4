// No response bytes hold raw markup, whatever was stored and whoever shows it (spec section 7.4).

const markup = /[<>&\u2028\u2029]/g
const hasMarkup = /[<>&\u2028\u2029]/

/** JSON text with markup characters escaped, so no response bytes hold raw markup. */
export const withoutMarkup = (text: string): string =>
  hasMarkup.test(text)
    ? text.replace(
        markup,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    : text
