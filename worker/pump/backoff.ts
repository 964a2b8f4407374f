const FIRST_MS = 100;
const MAX_MS = 3_000;

/** How long to wait after a number of failed queries in a row. */
export function backoffMs(failures: number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
}
