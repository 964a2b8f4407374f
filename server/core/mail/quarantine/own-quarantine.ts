import { and, arrayContains, desc, eq, gte, inArray, isNull, type SQL, sql } from "drizzle-orm";

import {
  companies,
  mailboxes,
  mailboxPolicies,
  type Quarantined,
  quarantine,
} from "#drizzle/schema/index.ts";
import { isQuarantineVisible } from "#server/core/mailboxes/account/own-account.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";

/** What a mailbox user sees of the messages in quarantine that are addressed to the mailbox. */
export type OwnQuarantine = {
  /** The mailbox's policies show it. */
  isVisible: boolean;
  /** The mailbox's policies let its user release spam. */
  canRelease: boolean;
  /** Newest first. */
  messages: OwnQuarantined[];
};

export type OwnQuarantined = Pick<
  Quarantined,
  "id" | "reason" | "headerFrom" | "sender" | "subject" | "createdAt"
>;

const LISTED_MAX = 200;

/** A mailbox's quarantine; empty unless it is visible to the mailbox user. */
export async function readOwnQuarantine(
  ctx: CompanyScope,
  mailbox: string,
): Promise<OwnQuarantine> {
  const policy = await readQuarantinePolicy(ctx, mailbox);
  if (!policy.isVisible) return { ...policy, messages: [] };
  const { id, reason, headerFrom, sender, subject, createdAt } = quarantine;
  const messages = await ctx.db
    .select({ id, reason, headerFrom, sender, subject, createdAt })
    .from(quarantine)
    .where(isOwn(ctx, mailbox))
    .orderBy(desc(createdAt), desc(id))
    .limit(LISTED_MAX);
  return { ...policy, messages };
}

/** One message of a mailbox's quarantine; null if it isn't there, or isn't visible to the mailbox user. */
export async function findOwnQuarantined(
  ctx: CompanyScope,
  mailbox: string,
  id: string,
): Promise<(Quarantined & Pick<OwnQuarantine, "canRelease">) | null> {
  const { isVisible, canRelease } = await readQuarantinePolicy(ctx, mailbox);
  if (!isVisible || !isUuid(id)) return null;
  const [found] = await ctx.db
    .select()
    .from(quarantine)
    .where(and(eq(quarantine.id, id), isOwn(ctx, mailbox)));
  return found ? { ...found, canRelease: canRelease && found.reason === "spam" } : null;
}

/** Nothing is visible to a suspended mailbox. */
async function readQuarantinePolicy(
  ctx: CompanyScope,
  mailbox: string,
): Promise<Pick<OwnQuarantine, "isVisible" | "canRelease">> {
  const [policy] = await ctx.db
    .select({
      quarantineDigest: mailboxPolicies.quarantineDigest,
      quarantineRelease: mailboxPolicies.quarantineRelease,
    })
    .from(mailboxPolicies)
    .innerJoin(mailboxes, eq(mailboxes.address, mailboxPolicies.address))
    .innerJoin(companies, eq(companies.id, mailboxes.companyId))
    .where(
      and(
        eq(mailboxes.address, mailbox),
        eq(mailboxes.companyId, ctx.companyId),
        isNull(mailboxes.suspendedAt),
        isNull(companies.suspendedAt),
      ),
    );
  if (!policy) return { isVisible: false, canRelease: false };
  return {
    isVisible: isQuarantineVisible(policy),
    canRelease: policy.quarantineRelease === "spam",
  };
}

/** Spam and viruses for the mailbox. Excludes what an earlier mailbox with this address received. */
export function isOwn({ companyId }: Pick<CompanyScope, "companyId">, mailbox: string): SQL {
  return and(
    eq(quarantine.companyId, companyId),
    arrayContains(quarantine.recipients, [mailbox]),
    inArray(quarantine.reason, ["spam", "virus"]),
    isNull(quarantine.releasedAs),
    gte(
      quarantine.createdAt,
      sql`(select created_at from ${mailboxes} where ${mailboxes.address} = ${mailbox})`,
    ),
  )!;
}
