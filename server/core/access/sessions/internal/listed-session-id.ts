import { createHash } from "node:crypto";

import { sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/** The id is the cookie's secret, so lists show a hash of it. */
export const listedSessionId = (sessionId: string) =>
  createHash("sha256").update(sessionId).digest("hex").slice(0, 32);

/** Whether a session's id has this hash. */
export const hasListedId = (sessionId: PgColumn, listedId: string): SQL =>
  sql`left(encode(sha256(convert_to(${sessionId}, 'UTF8')), 'hex'), 32) = ${listedId}`;
