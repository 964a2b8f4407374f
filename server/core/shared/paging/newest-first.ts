import type { SQL } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";

import type { Db } from "#server/db/client.ts";

import type { PageRequest } from "./page.ts";
import { byTime, pageSorted } from "./sorted.ts";

/** `pageSorted` by (created_at, id), newest first. */
export const pageNewestFirst = (
  db: Db,
  table: PgTable & { id: PgColumn; createdAt: PgColumn },
  inList: SQL | undefined,
  page: PageRequest,
) => pageSorted(db, table, byTime(table), inList, page);
