import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";
import { knownSchema } from "#server/db/known-schema.ts";

/** Seconds without a heartbeat before a process counts as ended; less could just mean it's slow. */
const MARGIN_SECONDS = 60;

/**
 * Whether a process on any host has an older schema than this one, while hosts are upgraded one after the other. Once none
 * has, none ever will: older versions don't start on a newer schema.
 */
export async function isOlderVersionRunning(db: Db): Promise<boolean> {
  const [found] = await db.execute<{ isRunning: boolean }>(sql`
    select exists (select from processes
      where alive_until > clock_timestamp() - make_interval(secs => ${MARGIN_SECONDS})
        and coalesce((facts ->> 'schema')::float8, 0) < ${knownSchema()}) as "isRunning"`);
  return found!.isRunning;
}
