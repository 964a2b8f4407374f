import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import type { DiskSpace } from "#server/processes/disk-reserve.ts";

/** Lists the disks of the data folders, one for each host with a live process. */
export async function listDisks(db: Db): Promise<({ host: string } & DiskSpace)[]> {
  const rows = await db.execute<{ host: string; disk: DiskSpace }>(sql`
    select distinct on (host) host, facts -> 'disk' as disk from processes
    where alive_until > statement_timestamp() and facts ? 'disk'
    order by host, alive_until desc`);
  return rows.map(({ host, disk }) => ({ host, ...disk }));
}
