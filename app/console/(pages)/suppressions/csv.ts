/** Formats CSV lines (RFC 4180), escaping values that a spreadsheet would run as formulas. */
export async function toCsv(
  rows: (string | number | null)[][],
  head: string[] | null,
): Promise<string> {
  const { default: Papa } = await import("papaparse");
  const lines = head ? [head, ...rows] : rows;
  return lines.length === 0 ? "" : `${Papa.unparse(lines, { escapeFormulae: true })}\r\n`;
}

/** Downloads a UTF-8 file made of these parts. It starts with a byte order mark, which spreadsheets need. */
export function saveCsv(fileName: string, parts: string[]): void {
  const file = new Blob(["\uFEFF", ...parts], { type: "text/csv;charset=utf-8" });
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
