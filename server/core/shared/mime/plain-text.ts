/** A reporter's words, as they may be stored and shown: one line, no control characters, cut. */
export function plainText(text: string, lengthMax = 255): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, " ")
    .toWellFormed()
    .trim()
    .slice(0, lengthMax)
    .toWellFormed();
}
