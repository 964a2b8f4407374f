import { and, eq, inArray, isNotNull, isNull, ne, sql } from "drizzle-orm";

import {
  type Address,
  addresses,
  aliases,
  apiKeys,
  dkimKeys,
  type Domain,
  domainFindings,
  domains,
  emails,
  failingMembers,
  groupMembers,
  groups,
  groupUnits,
  mailboxes,
  mailboxShares,
} from "#drizzle/schema/index.ts";
import { revokeKeys } from "#server/core/access/api-keys/api-keys.ts";
import { restoreShares } from "#server/core/mailboxes/deleted/deleted-addresses.ts";
import { restoreUnitsOfGroups } from "#server/core/mailboxes/groups/group-units.ts";
import { refreshRulesOfMailboxes } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/shares.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  type Deleted,
  forgetDeleted,
  recordDeleted,
  restoreRows,
} from "#server/core/shared/deleted-items/deleted-items.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import {
  publishDomainEvent,
  requireNotOwnedElsewhere,
  requireUnderLimits,
  type Via,
} from "./domains.ts";
import { lockCompanyDomains, lockDomain, lockName, requireDomain } from "./require-domain.ts";

/**
 * Deletes a domain with its groups and aliases, and keeps it to be restored if its ownership was ever verified. API keys restricted to it are
 * revoked and the emails they scheduled canceled; other pending emails of the domain fail when due. Sent emails stay.
 *
 * @returns the id to restore it by; null if it isn't kept
 * @throws Refusal `not_found`, `resource_in_use` while the domain has mailboxes
 */
export async function deleteDomain(
  ctx: Context,
  id: string,
  { via }: { via: Via },
): Promise<{ deletedId: string | null }> {
  const deletedId = await inRevokingTransaction(ctx, async (ctx) => {
    // The only row locked before emails. Creating a key, mailbox, alias or group for the domain waits for it;
    // no transaction that has locked emails does.
    const domain = await lockDomain(ctx, id);
    await requireNoMailbox(ctx, domain);
    const found = await lockAddresses(ctx, domain);
    // Without verified ownership it has never had more than a name and a token, which comes back the same.
    const isKept = domain.ownershipProvenAt !== null || domain.ownershipLostAt !== null;
    const deletedId = isKept
      ? await keepDomain(
          ctx,
          domain,
          found.map(({ address }) => address),
        )
      : null;
    await revokeDomainKeys(ctx, domain);
    await removeAddresses(ctx, domain, found);
    await ctx.db.delete(domains).where(eq(domains.id, domain.id));
    await recordAudit(ctx, "domain.deleted", { domainId: domain.id, name: domain.name });
    if (via === "api") await publishDomainEvent(ctx, "domain.deleted", domain);
    if (isKept) await enqueue(ctx.db, "refresh_forwards", { companyId: ctx.companyId });
    return deletedId;
  });
  if (via === "api") wakeWebhooks(ctx.db);
  return { deletedId };
}

async function requireNoMailbox(ctx: Context, { id, name }: Domain): Promise<void> {
  const found = await ctx.db.$count(
    mailboxes,
    and(eq(mailboxes.domainId, id), eq(mailboxes.companyId, ctx.companyId)),
  );
  if (found > 0)
    throw new Refusal(
      "resource_in_use",
      `${name} still has ${pluralize(found, "mailbox", "mailboxes")}. Delete ${found === 1 ? "it" : "them"} first`,
    );
}

/** Revoked keys stay, because the emails they sent refer to them. */
async function revokeDomainKeys(ctx: Context, domain: Domain): Promise<void> {
  const isRestricted = eq(apiKeys.domainId, domain.id);
  await revokeKeys(ctx, isRestricted);
  await ctx.db.update(apiKeys).set({ domainId: null }).where(isRestricted);
}

type Found = { address: string; kind: Address["kind"]; mailbox: string | null };

/** Locks addresses in address order, as all callers do, to avoid deadlocks. */
function lockAddresses(ctx: Context, { id }: Domain): Promise<Found[]> {
  return ctx.db
    .select({ address: addresses.address, kind: addresses.kind, mailbox: aliases.mailbox })
    .from(addresses)
    .leftJoin(aliases, eq(aliases.address, addresses.address))
    .where(isOfDomain(id))
    .orderBy(addresses.address)
    .for("update", { of: addresses });
}

const isOfDomain = (id: string) => and(eq(addresses.domainId, id), ne(addresses.kind, "mailbox"));

/** Removes aliases, groups and inbound addresses, with audit entries. Vacation replies of their mailboxes stop naming the aliases. */
async function removeAddresses(ctx: Context, { id }: Domain, found: Found[]): Promise<void> {
  await ctx.db.delete(addresses).where(isOfDomain(id));
  const removed = found.filter(({ kind }) => kind === "alias");
  const groups = found.filter(({ kind }) => kind === "group");
  const inbound = found.filter(({ kind }) => kind === "inbound");
  await recordAudits(
    ctx,
    "alias.removed",
    removed.map(({ address, mailbox }) => ({ alias: address, mailbox })),
  );
  await recordAudits(
    ctx,
    "group.deleted",
    groups.map(({ address }) => ({ group: address })),
  );
  await recordAudits(
    ctx,
    "inbound_address.deleted",
    inbound.map(({ address }) => ({ address })),
  );
  await refreshRulesOfMailboxes(ctx, [...new Set(removed.flatMap(({ mailbox }) => mailbox ?? []))]);
}

/**
 * Restores a locked deleted domain with its DKIM keys, groups, aliases of existing mailboxes, and API keys. Call in a transaction.
 *
 * @throws Refusal `already_exists` if the company has the name again, `not_allowed` if another company has it or the plan's limit is
 *   reached, `account_inactive`, `too_many_pending` if its ownership wasn't verified
 */
export async function restoreDomain(ctx: Context, item: Deleted): Promise<void> {
  const { id, name, domainId } = item;
  await lockName(ctx, name);
  await lockCompanyDomains(ctx);
  await requireNotOwnedElsewhere(ctx, name);
  await requireUnderLimits(ctx, { isVerified: await wasVerified(ctx, id) });
  if ((await restoreRows(ctx.db, id, domains)) === 0)
    throw new Refusal(
      "already_exists",
      `${name} is one of your domains again. Delete it first, then restore this one`,
    );
  await restoreRows(ctx.db, id, domainFindings);
  await restoreRows(ctx.db, id, dkimKeys);
  await restoreDomainAddresses(ctx, item);
  await restoreKeys(ctx, item);
  await forgetDeleted(ctx, id);
  await recordAudit(ctx, "domain.undeleted", { domainId, name });
  await enqueue(ctx.db, "refresh_forwards", { companyId: ctx.companyId });
}

async function wasVerified({ db }: Context, itemId: string): Promise<boolean> {
  const [row] = await db.execute<{ isVerified: boolean }>(sql`
    select contents -> 'domains' -> 0 ->> 'ownership_proven_at' is not null as "isVerified"
    from deleted_items where id = ${itemId}`);
  return row!.isVerified;
}

async function restoreDomainAddresses(ctx: Context, { id, domainId }: Deleted): Promise<void> {
  await restoreRows(ctx.db, id, addresses, {
    where: sql`(kept.kind <> 'alias' or exists (
      select from jsonb_populate_recordset(null::aliases, d.contents -> 'aliases') l
      join mailboxes m on m.address = l.mailbox and m.company_id = kept.company_id
      where l.address = kept.address))`,
  });
  const restored = sql`(select address from addresses where domain_id = ${domainId})`;
  for (const table of [aliases, groups])
    await restoreRows(ctx.db, id, table, { where: sql`kept.address in ${restored}` });
  for (const table of [groupMembers, failingMembers])
    await restoreRows(ctx.db, id, table, { where: sql`kept.group_address in ${restored}` });
  await restoreUnitsOfGroups(ctx, id);
  await restoreShares(ctx, id);
  const owners = await ctx.db
    .selectDistinct({ mailbox: aliases.mailbox })
    .from(aliases)
    .innerJoin(addresses, eq(addresses.address, aliases.address))
    .where(eq(addresses.domainId, domainId));
  await refreshRulesOfMailboxes(
    ctx,
    owners.map(({ mailbox }) => mailbox),
  );
}

/** API keys that the deletion revoked work again, unless their creators have left since. */
async function restoreKeys(ctx: Context, { id, domainId }: Deleted): Promise<void> {
  const kept = sql`(select (kept ->> 'id')::uuid from deleted_items d,
    jsonb_array_elements(d.contents -> 'api_keys') kept where d.id = ${id})`;
  const restored = await ctx.db
    .update(apiKeys)
    .set({ domainId, revokedAt: null })
    .where(
      and(
        sql`${apiKeys.id} in ${kept}`,
        eq(apiKeys.companyId, ctx.companyId),
        isNull(apiKeys.domainId),
        isNotNull(apiKeys.revokedAt),
        isNotNull(apiKeys.creatorId),
      ),
    )
    .returning({ keyId: apiKeys.id, name: apiKeys.name });
  await recordAudits(ctx, "api_key.restored", restored);
}

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

/**
 * Keeps a locked domain that is about to be deleted, with its DKIM keys, aliases and groups, and which API keys are restricted to it. DMARC and
 * TLS reports aren't kept.
 *
 * @param own its addresses
 * @returns the id to restore it by
 */
async function keepDomain(
  ctx: Context,
  { id: domainId, name }: Domain,
  own: string[],
): Promise<string> {
  const item = { kind: "domain" as const, name, title: "", domainId, addresses: own };
  const isOwn = and(eq(addresses.domainId, domainId), ne(addresses.kind, "mailbox"))!;
  // A subquery, because a statement can't have as many parameters as a domain can have addresses.
  const listed = sql`(select ${addresses.address} from ${addresses} where ${isOwn})`;
  return recordDeleted(ctx, item, [
    [domains, eq(domains.id, domainId)],
    [domainFindings, eq(domainFindings.domainId, domainId)],
    [dkimKeys, eq(dkimKeys.domainId, domainId)],
    [addresses, isOwn],
    [aliases, inArray(aliases.address, listed)],
    [groups, inArray(groups.address, listed)],
    [groupMembers, inArray(groupMembers.groupAddress, listed)],
    [groupUnits, inArray(groupUnits.groupAddress, listed)],
    [mailboxShares, inArray(mailboxShares.member, listed)],
    [failingMembers, inArray(failingMembers.groupAddress, listed)],
    [apiKeys, and(eq(apiKeys.domainId, domainId), isNull(apiKeys.revokedAt))!],
  ]);
}
