import { and, eq, inArray, isNull } from "drizzle-orm";

import { quarantine } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import type { QuarantineReason } from "#server/core/mail/quarantine/visible-reasons.ts";

export const quarantinedNotFound = () =>
  new Refusal("not_found", "Message not found in quarantine");

/**
 * The company's message, if it is in quarantine for one of the reasons.
 *
 * @throws Refusal `not_found`
 */
export async function requireQuarantined(ctx: Context, id: string, reasons: QuarantineReason[]) {
  const [held] = isUuid(id)
    ? await ctx.db
        .select()
        .from(quarantine)
        .where(matchesQuarantined(ctx, id, reasons))
    : [];
  if (!held) throw quarantinedNotFound();
  return held;
}

/** The condition of `requireQuarantined`. Excludes released messages, even while their delivery is pending. */
export const matchesQuarantined = (
  { companyId }: Context,
  id: string,
  reasons: QuarantineReason[],
) =>
  and(
    eq(quarantine.id, id),
    eq(quarantine.companyId, companyId),
    inArray(quarantine.reason, reasons),
    isNull(quarantine.releasedAs),
  );
