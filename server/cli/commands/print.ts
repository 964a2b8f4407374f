/** Answers on stdout: JSON for a script, the text for a person. */
export function print(json: boolean | undefined, answer: unknown, text: string): void {
  console.log(json ? JSON.stringify(answer) : text);
}

/** Columns wide enough for what is in them. */
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
