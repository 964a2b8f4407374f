/** Lines of a CSV file (RFC 4180). What a spreadsheet would run as a formula is defused. */
export async function toCsv(
  rows: (string | number | null)[][],
  head: string[] | null,
): Promise<string> {
  const { default: Papa } = await import("papaparse");
  const lines = head ? [head, ...rows] : rows;
  return lines.length === 0 ? "" : `${Papa.unparse(lines, { escapeFormulae: true })}\r\n`;
}

/** Saves a file put together of parts, in UTF-8, which spreadsheets are told by its first bytes. */
export function saveCsv(fileName: string, parts: string[]): void {
  const file = new Blob(["\uFEFF", ...parts], { type: "text/csv;charset=utf-8" });
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
