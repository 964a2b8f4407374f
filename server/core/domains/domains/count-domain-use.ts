import { and, eq, isNotNull, isNull } from "drizzle-orm";

import { apiKeys, emails, mailboxes } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { requireDomain } from "./require-domain.ts";

/** What deleting the domain would end, or is blocked by. */
export type DomainUse = { apiKeys: number; mailboxes: number; scheduledEmails: number };

/**
 * Counts what uses one of the company's domains: restricted API keys, mailboxes, scheduled emails.
 *
 * @throws Refusal `not_found`
 */
export async function countDomainUse(ctx: Context, domainId: string): Promise<DomainUse> {
  await requireDomain(ctx, domainId);
  const { db, companyId } = ctx;
  const isOwnKey = and(eq(apiKeys.companyId, companyId), eq(apiKeys.domainId, domainId));
  const isOwnMailbox = and(eq(mailboxes.companyId, companyId), eq(mailboxes.domainId, domainId));
  const isWaiting = and(
    eq(emails.companyId, companyId),
    eq(emails.domainId, domainId),
    // Matches the scheduler's index.
    isNotNull(emails.dueAt),
  );
  const [keys, boxes, scheduled] = await Promise.all([
    db.$count(apiKeys, and(isOwnKey, isNull(apiKeys.revokedAt))),
    db.$count(mailboxes, isOwnMailbox),
    db.$count(emails, isWaiting),
  ]);
  return { apiKeys: keys, mailboxes: boxes, scheduledEmails: scheduled };
}
