import Papa from "papaparse";

type Cells = Record<string, unknown>;

/** Rows of a table as CSV lines. No cell is taken for a formula by what opens the file. */
export function linesOfCsv(rows: Cells[], withHead: boolean): string {
  if (rows.length === 0) return "";
  const cells = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === "object" ? JSON.stringify(value) : value,
      ]),
    ),
  );
  const options = { header: withHead, escapeFormulae: true, newline: "\r\n" };
  return `${Papa.unparse(cells, options)}\r\n`;
}
