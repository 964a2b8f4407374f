import { asc, desc, gt, isNull, or, sql } from "drizzle-orm";

import { type Alarm, alarms } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** The alarms that are raised now: critical ones first, then the oldest first. */
export const listRaisedAlarms = (db: Db): Promise<Alarm[]> =>
  db
    .select()
    .from(alarms)
    .where(isNull(alarms.clearedAt))
    .orderBy(asc(alarms.severity), asc(alarms.raisedAt), asc(alarms.name));

/** The alarms that were raised or cleared within the last `hours`, newest first. */
export const listChangedAlarms = (db: Db, hours: number): Promise<Alarm[]> => {
  const since = sql`statement_timestamp() - make_interval(hours => ${hours})`;
  return db
    .select()
    .from(alarms)
    .where(or(gt(alarms.raisedAt, since), gt(alarms.clearedAt, since)))
    .orderBy(desc(alarms.raisedAt), asc(alarms.name));
};
