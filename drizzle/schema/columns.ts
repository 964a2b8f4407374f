import { sql } from "drizzle-orm";
import { customType, timestamp, uuid } from "drizzle-orm/pg-core";
import { v7 as uuidv7 } from "uuid";

/**
 * A point in time, kept as Postgres prints it. The API shows microseconds and lists page on them; a
 * JavaScript Date would truncate them to milliseconds.
 */
export const moment = () => timestamp({ withTimezone: true, precision: 6, mode: "string" });

/** UUIDv7: ids grow with time, so new rows are inserted at the warm end of every index. */
export const id = () =>
  uuid()
    .primaryKey()
    .$defaultFn(() => uuidv7());

export const createdAt = () =>
  moment()
    .notNull()
    .default(sql`clock_timestamp()`);

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });
