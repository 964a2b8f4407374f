/** Someone outside the appliance whose data is erased. */
export type ErasedPerson = {
  /** Lowercase. */
  address: string;
  /** What replaces it. */
  pseudonym: string;
  /** A regular expression of Postgres that finds the address in a text, but not inside a longer address. */
  pattern: string;
};

/** Also matches an address that is percent-encoded in a path. */
export function personPattern(address: string): string {
  const characters = Array.from(address, (character) => {
    // JSON escapes quotes with a backslash.
    const escaped =
      character === '"' ? '\\\\?"' : character.replace(/[.*+?^${}()|[\]\\/-]/, "\\$&");
    const encoded = encodeURIComponent(character);
    return encoded === character ? escaped : `(?:${escaped}|${encoded})`;
  });
  return `(?<![a-z0-9._%+-])${characters.join("")}(?![a-z0-9-]|\\.[a-z0-9])`;
}
