/**
 * Writes log rows, leaving out those whose values Postgres rejects, so that a row that can never be written
 * doesn't block the rest.
 *
 * @returns the rejected rows
 * @throws any other error from `write`, such as an unreachable database
 */
export async function writeAroundBadRows<Row>(
  rows: Row[],
  write: (rows: Row[]) => Promise<void>,
): Promise<Row[]> {
  try {
    await write(rows);
    return [];
  } catch (error) {
    if (!isAboutValues(error)) throw error;
    if (rows.length === 1) return rows;
    const half = Math.ceil(rows.length / 2);
    return [
      ...(await writeAroundBadRows(rows.slice(0, half), write)),
      ...(await writeAroundBadRows(rows.slice(half), write)),
    ];
  }
}

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint). */
function isAboutValues(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && "code" in cause && /^2[23]/.test(String(cause.code));
}
