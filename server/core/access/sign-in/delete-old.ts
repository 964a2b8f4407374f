import { lt, sql } from "drizzle-orm";

import { signInAttempts, signInNetworks } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { KNOWN_DAYS } from "./networks.ts";

/** Deletes sign-in attempts after a day and networks that are no longer known. */
export async function deleteOldSignIns(db: Db): Promise<void> {
  await db
    .delete(signInAttempts)
    .where(lt(signInAttempts.createdAt, sql`clock_timestamp() - interval '1 day'`));
  await db
    .delete(signInNetworks)
    .where(
      lt(signInNetworks.lastSeenAt, sql`clock_timestamp() - make_interval(days => ${KNOWN_DAYS})`),
    );
}
