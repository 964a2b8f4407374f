/** Parses pasted addresses separated by newlines, commas, semicolons, or spaces, optionally in <>. */
export function parseAddresses(text: string): string[] {
  const found = text
    .split(/[\n,;]+/)
    .map((part) => (/<([^<>]+)>/.exec(part)?.[1] ?? part).trim().toLowerCase())
    .flatMap((part) => part.split(/\s+/))
    .filter((part) => part !== "");
  return [...new Set(found)];
}
