/** Reduces text from a remote party to one line without control characters, cut to `lengthMax`. */
export function plainText(text: string, lengthMax = 255): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, " ")
    .toWellFormed()
    .trim()
    .slice(0, lengthMax)
    .toWellFormed();
}
