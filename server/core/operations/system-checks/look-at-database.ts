import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

import { failed, type Finding, ok } from "./finding.ts";

const PART = "Postgres";

type Facts = { version: string; fsync: string; commits: string; mb: number };

/** Whether Postgres answers and keeps what it says it has kept. */
export async function lookAtDatabase(db: Db): Promise<Finding> {
  const [row] = await db.execute<Facts>(sql`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commits,
      round(pg_database_size(current_database()) / 1048576.0)::int as mb`);
  const { version, fsync, commits, mb } = row!;
  const found = `Postgres ${version.split(" ")[0]!} answers, ${mb} MB`;
  const off = fsync === "off" ? "fsync" : commits === "off" ? "synchronous_commit" : null;
  if (!off) return ok(PART, found);
  return failed(
    PART,
    `${found}, with ${off} off`,
    `Set ${off} to on. Otherwise a power cut loses mail`,
  );
}
