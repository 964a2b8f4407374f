import { and, eq, ne } from "drizzle-orm";

import {
  type Address,
  addresses,
  aliases,
  apiKeys,
  type Domain,
  domains,
  mailboxes,
} from "#drizzle/schema/index.ts";
import { revokeKeys } from "#server/core/access/api-keys/revoke-api-key.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pluralize } from "#server/core/shared/pluralize.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { inRevokingTransaction } from "#server/core/mailboxes/shares/in-revoking-transaction.ts";
import { refreshRulesOfMailboxes } from "#server/core/mailboxes/mailbox-rules/save-rules.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/wake-deliveries.ts";

import { keepDomain } from "./internal/keep-domain.ts";
import { publishDomainEvent, type Via } from "./internal/publish-domain-event.ts";
import { lockDomain } from "./require-domain.ts";

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

/** Locks the domain's addresses in address order, like everywhere. */
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
