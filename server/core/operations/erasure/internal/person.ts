/** Someone outside the appliance whose data is erased. */
export type Person = {
  /** Lowercase. */
  address: string;
  /** What replaces it. */
  pseudonym: string;
  /** A regular expression of Postgres that finds the address in a text, but not inside a longer address. */
  pattern: string;
};

/** Also matches an `@` that is percent-encoded in a path. */
export function personPattern(address: string): string {
  const escaped = address.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&").replace("@", "(?:@|%40)");
  return `(?<![a-z0-9._%+-])${escaped}(?![a-z0-9-]|\\.[a-z0-9])`;
}
