/** Splits at commas, semicolons and line breaks, except inside a quoted display name. */
export function splitTypedAddresses(text: string): string[] {
  return (text.match(/(?:"(?:[^"\\]|\\.)*"|[^,;\n"])+/g) ?? [])
    .map((address) => address.trim())
    .filter(Boolean);
}
