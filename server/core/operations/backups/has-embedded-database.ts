import { realpath } from "node:fs/promises";
import { join } from "node:path";

import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/** Whether the database is the embedded one of this data folder. Only its files can be backed up. */
export async function hasEmbeddedDatabase(db: Db, dataFolder: string): Promise<boolean> {
  const [row] = await db.execute<{ folder: string | null }>(sql`
    select case when pg_has_role(current_user, 'pg_read_all_settings', 'usage')
      then current_setting('data_directory') end as folder`);
  const own = await realpath(join(dataFolder, "postgres")).catch(() => null);
  return (
    own !== null && row!.folder !== null && own === (await realpath(row!.folder).catch(() => ""))
  );
}
