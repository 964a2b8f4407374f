import { integer, pgTable, text } from "drizzle-orm/pg-core";

import { moment } from "./columns.ts";

/**
 * Cached MTA-STS policies (RFC 8461) of recipient domains. Stored so that a known policy survives restarts:
 * it applies until it expires, whatever the DNS says meanwhile.
 */
export const mtaStsPolicies = pgTable("mta_sts_policies", {
  /** The recipient domain, lowercase A-labels. */
  domain: text().primaryKey(),
  /** The `id` of the TXT record when the policy was fetched. */
  policyId: text().notNull(),
  mode: text({ enum: ["enforce", "testing", "none"] }).notNull(),
  /** Patterns of mail servers: names, or `*.` and a name. */
  mx: text().array().notNull(),
  maxAgeSeconds: integer().notNull(),
  expiresAt: moment().notNull(),
});

export type MtaStsPolicy = typeof mtaStsPolicies.$inferSelect;
