type Row = { id: string };

/**
 * Keeps the visible rows of a list, with their latest data, and keeps newer ones waiting.
 *
 * @returns the rows to show, and how many newer ones are waiting
 */
export function pinRows<R extends Row>(shown: R[], latest: R[]): { rows: R[]; waiting: number } {
  const byId = new Map(latest.map((row) => [row.id, row]));
  const first = latest.findIndex(({ id }) => shown.some((row) => row.id === id));
  if (first === -1) return { rows: latest, waiting: 0 };
  return { rows: shown.map((row) => byId.get(row.id) ?? row), waiting: first };
}
