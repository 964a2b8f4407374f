type Row = { id: string };

/**
 * What a list shows when newer rows are known: the rows it has, each as it is by now. Rows above them wait.
 *
 * @returns the rows, and how many wait
 */
export function holdStill<R extends Row>(shown: R[], latest: R[]): { rows: R[]; waiting: number } {
  const byId = new Map(latest.map((row) => [row.id, row]));
  const first = latest.findIndex(({ id }) => shown.some((row) => row.id === id));
  // Nothing is left of what was shown, or nothing was: there is nothing to hold.
  if (first === -1) return { rows: latest, waiting: 0 };
  return { rows: shown.map((row) => byId.get(row.id) ?? row), waiting: first };
}
