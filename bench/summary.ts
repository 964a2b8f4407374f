/** A line of the table that `npm run bench:all -- --summary` prints. */
export type Finding = {
  what: string;
  unit: string;
  measured: number;
} & ({ atMost: number } | { atLeast: number });

/** Reports what a bench found to `bench/all.ts`, if that started it. */
export function reportFindings(findings: Finding[]): void {
  process.send?.({ findings });
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
