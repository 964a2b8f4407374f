/**
 * Saves rows as a CSV file (RFC 4180) in UTF-8, which spreadsheets are told by its first bytes. Text that
 * they would run as a formula is defused.
 *
 * @param fileName with its ending
 */
export async function downloadCsv(
  fileName: string,
  rows: Record<string, string | number>[],
): Promise<void> {
  const { default: papa } = await import("papaparse");
  const text = papa.unparse(rows, { escapeFormulae: true });
  const url = URL.createObjectURL(new Blob(["\uFEFF", text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
