import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { failed, type Finding, ok } from "./finding.ts";

const PART = "Postgres";

/** Whether Postgres answers and keeps what it says it has kept. */
export async function lookAtDatabase(db: Db): Promise<Finding> {
  const [row] = await db.execute<{ version: string; fsync: string; mb: number }>(sql`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      round(pg_database_size(current_database()) / 1048576.0)::int as mb`);
  const { version, fsync, mb } = row!;
  const found = `Postgres ${version.split(" ")[0]!} answers, ${mb} MB`;
  return fsync === "on"
    ? ok(PART, found)
    : failed(PART, `${found}, with fsync off`, "Set fsync to on: a power cut would lose mail");
}
