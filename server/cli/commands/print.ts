/** Prints the result to stdout, as JSON or as text. */
export function print(json: boolean | undefined, answer: unknown, text: string): void {
  console.log(json ? JSON.stringify(answer) : text);
}

/** Aligns rows in columns. */
export function table(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
