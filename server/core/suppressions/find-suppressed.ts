import { and, eq, inArray } from "drizzle-orm";

import { suppressions } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";

/** Why an address is skipped. */
export type Suppressed = { origin: "bounce" | "complaint" | "manual"; reason: string };

const REASONS = {
  bounce: "The address is on the suppression list because an earlier email to it bounced",
  complaint: "The address is on the suppression list because its owner reported an email as spam",
  manual: "The address is on the suppression list because somebody added it by hand",
} as const;

/** Those of `addresses` that are on the company's suppression list. */
export async function findSuppressed(
  ctx: Pick<Context, "db" | "companyId">,
  addresses: string[],
): Promise<Map<string, Suppressed>> {
  const found = await ctx.db
    .select({ email: suppressions.email, origin: suppressions.origin })
    .from(suppressions)
    .where(
      and(
        eq(suppressions.companyId, ctx.companyId),
        inArray(suppressions.email, [...new Set(addresses)]),
      ),
    );
  return new Map(found.map(({ email, origin }) => [email, { origin, reason: REASONS[origin] }]));
}
