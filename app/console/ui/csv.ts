/** Downloads rows as a CSV file (RFC 4180), escaping values that a spreadsheet would run as formulas. */

export async function saveCsv(
  fileName: string,
  rows: Record<string, string | number | null>[],
): Promise<void> {
  const { default: papa } = await import("papaparse");
  // A byte order mark, which spreadsheets need.
  const parts = ["\uFEFF", papa.unparse(rows, { escapeFormulae: true }), "\r\n"];
  const url = URL.createObjectURL(new Blob(parts, { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
