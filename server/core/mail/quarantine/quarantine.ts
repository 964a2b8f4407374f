import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";

import { quarantine, quarantineContents, type Quarantined } from "#drizzle/schema/index.ts";
import { expirePosts, rejectPost } from "#server/core/mail/group-posts/moderation.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import {
  byTime,
  type CountedPage,
  type DirectedPageRequest,
  isUuid,
  pageSorted,
} from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { storableText } from "#server/core/shared/text.ts";
import { deleteInBatches, isOlderThan } from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";

import { type Preview, previewMessage } from "./internal/preview-message.ts";
import type { QuarantineReason } from "./quarantine-message.ts";

export type QuarantineFilter = {
  /** Reasons to include, which the caller must be allowed to see. */
  reasons: QuarantineReason[];
  /** Substring of sender, subject or recipients, case-insensitive; null for all. */
  search: string | null;
};

/**
 * A page of the company's quarantine.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listQuarantine(
  ctx: Context,
  page: DirectedPageRequest,
  filter: QuarantineFilter,
): Promise<CountedPage<Quarantined>> {
  const order = byTime(quarantine, page.direction);
  const list = pageSorted(ctx.db, quarantine, order, partsOf(ctx, filter), page);
  return list.read(ctx.db.select().from(quarantine));
}

const partsOf = (ctx: Context, { reasons, search }: QuarantineFilter) => ({
  inList: and(
    eq(quarantine.companyId, ctx.companyId),
    inArray(quarantine.reason, reasons),
    isNull(quarantine.releasedAs),
  ),
  fits: contains(search),
});

/** Joins the fields with line breaks, so that a search doesn't match across two of them. */
function contains(search: string | null): SQL | undefined {
  if (search === null) return undefined;
  const { sender, headerFrom, subject, recipients } = quarantine;
  const all = sql`concat_ws(chr(10), ${sender}, ${headerFrom}, ${subject}, array_to_string(${recipients}, chr(10)))`;
  return sql`strpos(lower(${all}), lower(${storableText(search)})) > 0`;
}

// Limits the memory for a preview.
const READ_BYTES_MAX = 1024 * 1024;

/**
 * A quarantined message with a safe preview.
 *
 * @throws Refusal `not_found`; `invalid_permission` as `requireMayOpen`
 */
export async function getQuarantined(
  ctx: Context,
  id: string,
  reasons: QuarantineReason[],
): Promise<Quarantined & Preview> {
  const held = await requireQuarantined(ctx, id, reasons);
  await requireMayOpen(ctx, held.recipients);
  const [kept] = await ctx.db
    .select({
      content: sql<Buffer>`substring(${quarantineContents.content} from 1 for ${READ_BYTES_MAX})`,
    })
    .from(quarantineContents)
    .where(eq(quarantineContents.quarantineId, held.id));
  if (!kept) throw quarantinedNotFound();
  return {
    ...held,
    ...previewMessage(kept.content, { isWhole: held.size <= READ_BYTES_MAX }),
  };
}

/**
 * Deletes a quarantined message for good, without notifying anyone.
 *
 * @throws Refusal `not_found` if it is no longer in quarantine
 */
export async function deleteQuarantined(
  ctx: Context,
  id: string,
  reasons: QuarantineReason[],
): Promise<void> {
  const held = await requireQuarantined(ctx, id, reasons);
  if (held.reason === "moderation") {
    await rejectPost(ctx, id);
    return;
  }
  await inTransaction(ctx, async (ctx) => {
    const deleted = await ctx.db
      .delete(quarantine)
      .where(matchesQuarantined(ctx, id, reasons))
      .returning();
    if (deleted.length === 0) throw quarantinedNotFound();
    const { reason, sender, headerFrom: from, subject, recipients } = held;
    await recordAudit(ctx, "quarantine.deleted", { reason, sender, from, subject, recipients });
  });
}

// Small, because a message can have tens of megabytes.
const BATCH = 50;

/** Deletes messages that have been in quarantine for `days`. @returns the number of messages deleted */
export async function deleteOldQuarantined(db: Db, days: number): Promise<number> {
  const { createdAt, releasedAs, reason } = quarantine;
  const posts = await expirePosts(db, days);
  const deleted = await deleteInBatches(db, quarantine, {
    where: sql`${isOlderThan(createdAt, days)} and ${releasedAs} is null and ${reason} <> 'moderation'`,
    oldestFirst: createdAt,
    size: BATCH,
  });
  return posts + deleted;
}

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
