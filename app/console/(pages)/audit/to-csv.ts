import Papa from "papaparse";

type Row = Record<string, unknown>;

/** CSV lines of the rows. Escapes cells that a spreadsheet would run as formulas. */
export function toCsv(rows: Row[], withHeader: boolean): string {
  if (rows.length === 0) return "";
  const cells = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === "object" ? JSON.stringify(value) : value,
      ]),
    ),
  );
  const options = { header: withHeader, escapeFormulae: true, newline: "\r\n" };
  return `${Papa.unparse(cells, options)}\r\n`;
}
