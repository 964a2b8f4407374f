/** A line of the table that `npm run bench:all` prints. */
export type Finding = {
  what: string;
  unit: string;
  measured: number;
} & ({ atMost: number } | { atLeast: number });

/** Reports what a bench found to `bench/all.ts`, if that started it. */
export function reportFindings(findings: Finding[]): void {
  process.send?.({ findings });
}

/** Of an even number of values, the mean of the middle two. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}
