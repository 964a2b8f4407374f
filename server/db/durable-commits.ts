import { connect } from "./client.ts";

/**
 * Makes sure that a commit on connections of ours is on disk before it is answered: everything that is
 * accepted depends on it.
 *
 * @throws Error when the server, a pooler or the URL itself overrules what `connect` asks for
 */
export async function requireDurableCommits(url: string): Promise<void> {
  const connection = connect(url, { max: 1 });
  try {
    const [row] = await connection.sql<[{ mode: string }]>`
      select current_setting('synchronous_commit') as mode`;
    if (row.mode === "off")
      throw new Error(
        "DATABASE_URL: synchronous_commit is off on this connection, so a crash of the database could lose " +
          "accepted mail. Remove it from DATABASE_URL, or from what your connection pooler sets",
      );
  } finally {
    await connection.close();
  }
}
