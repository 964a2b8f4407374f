/** Sets the apostrophes of a text from the server as the console's own texts have them. Leaves addresses alone. */
export const typographic = (text: string): string =>
  text.replace(/(?<=[a-z])'(?=(?:s|t|re|ll|ve|d|m)\b)|(?<=[a-z]s)'(?= )/gi, "’");

/** A phrase from the server as a sentence: capitalized, with a period. */
export const toSentence = (phrase: string): string =>
  typographic(
    `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}${/[.?!]$/.test(phrase) ? "" : "."}`,
  );
