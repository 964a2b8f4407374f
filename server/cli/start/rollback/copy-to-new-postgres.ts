import { requireAccounted } from "#server/cli/upgrade/require-accounted.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { connect } from "#server/db/client.ts";
import { migrate } from "#server/db/migrate.ts";
import { passwordFile } from "#server/postgres/cluster.ts";
import { copyDatabase } from "#server/postgres/copy-database.ts";
import { removeFile, removeTree } from "#server/processes/open-no-follow.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";

/**
 * Copies the database of another major version of Postgres, with this version's schema, into a new cluster of the bundled one.
 * Nothing else may use the database.
 *
 * @param folder for the cluster, which is complete and on disk when this ends. Its password is that of the original
 */
export async function copyToNewPostgres(url: string, folder: string): Promise<string> {
  for (const left of [folder, passwordFile(folder)]) await removeTree(left);
  const server = await startEmbeddedPostgres({ folder });
  const connection = connect(server.url, { max: 2 });
  try {
    await migrate(server.url);
    const { tables, rows } = await copyDatabase(url, server.url);
    await requireAccounted(connection);
    const { username, password } = new URL(url);
    await connection.sql.begin(async (sql) => {
      // Slow statements are logged, and this one contains the password.
      await sql`set local log_min_duration_statement = -1`;
      await sql.unsafe(`alter role ${username} password '${decodeURIComponent(password)}'`);
    });
    return `${pluralize(rows, "row")} in ${pluralize(tables, "table")}`;
  } finally {
    await connection.close();
    await server.stop();
    removeFile(passwordFile(folder));
  }
}
