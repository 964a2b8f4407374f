import { connect, type Connection } from "./client.ts";

/** What PgBouncer answers to a startup parameter that it doesn't know (protocol_violation). */
const UNKNOWN_PARAMETER = "08P01";

/**
 * Makes sure that a commit on connections of ours is on disk before it is answered: everything that is
 * accepted depends on it.
 *
 * @throws Error when the server, a pooler or the URL itself overrules what `connect` asks for
 */
export async function requireDurableCommits(url: string): Promise<void> {
  const connection = connect(url, { max: 1 });
  try {
    if ((await modeOf(connection)) === "off")
      throw new Error(
        "DATABASE_URL: synchronous_commit is off on this connection, so a crash of the database could lose " +
          "accepted mail. Remove it from DATABASE_URL and from what your connection pooler sets. With a pooler " +
          "that ignores the parameter, set it to on at the server",
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
