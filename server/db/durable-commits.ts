import { connect, type Connection } from "./client.ts";

/** SQLSTATE with which PgBouncer rejects an unknown startup parameter (protocol_violation). */
const UNKNOWN_PARAMETER = "08P01";

/**
 * Checks that commits on our connections reach the disk before they return; the guarantee for accepted mail
 * depends on it.
 *
 * @throws Error when the server, a pooler or the URL overrides the setting of `connect`
 */
export async function requireDurableCommits(url: string): Promise<void> {
  const connection = connect(url, { max: 1 });
  try {
    if ((await modeOf(connection)) === "off")
      throw new Error(
        "DATABASE_URL: synchronous_commit is off on this connection, so a crash of the database could lose " +
          "accepted mail. Remove the setting from DATABASE_URL and your connection pooler. If your pooler " +
          "ignores the parameter, turn it on in the server's configuration",
      );
  } finally {
    await connection.close();
  }
}

async function modeOf({ sql }: Connection): Promise<string> {
  try {
    const [row] = await sql<[{ mode: string }]>`
      select current_setting('synchronous_commit') as mode`;
    return row.mode;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === UNKNOWN_PARAMETER))
      throw error;
    throw new Error(
      `DATABASE_URL: the connection pooler refuses the connection (${error.message}). ` +
        "Add synchronous_commit to ignore_startup_parameters in pgbouncer.ini",
      { cause: error },
    );
  }
}
