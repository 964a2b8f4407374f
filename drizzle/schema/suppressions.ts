import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";

import { createdAt, id } from "./columns.ts";
import { companies } from "./companies.ts";

/** An address that the company's emails skip because it bounced, complained, unsubscribed or was added manually. */
export const suppressions = pgTable(
  "suppressions",
  {
    id: id(),
    companyId: uuid()
      .notNull()
      .references(() => companies.id, { onDelete: "cascade" }),
    /** Lowercase. */
    email: text().notNull(),
    origin: text({ enum: ["bounce", "complaint", "manual", "unsubscribe"] }).notNull(),
    /** The email that bounced, drew the complaint or was unsubscribed from. No foreign key: the email may be deleted. */
    sourceId: uuid(),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex("suppressions_company_email_key").on(t.companyId, t.email),
    // GET /suppressions: newest first.
    index("suppressions_company_newest_idx").on(t.companyId, t.createdAt, t.id),
    check("suppressions_email_lowercase", sql`${t.email} = lower(${t.email})`),
  ],
);

export type Suppression = typeof suppressions.$inferSelect;
