/**
 * Temporary passwords as CSV (RFC 4180). Escapes formulas and starts with a byte order mark, without
 * which Excel assumes Latin-1.
 */
export async function passwordsCsv(
  people: { address: string; name: string; password: string }[],
): Promise<string> {
  const { default: Papa } = await import("papaparse");
  const rows = people.map(({ address, name, password }) => [address, name, password]);
  const csv = Papa.unparse(
    { fields: ["email", "name", "temporary_password"], data: rows },
    { escapeFormulae: true },
  );
  return `\ufeff${csv}\r\n`;
}
