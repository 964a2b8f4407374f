import { and, eq, ne } from "drizzle-orm";

import {
  addresses,
  aliases,
  apiKeys,
  type Domain,
  domains,
  mailboxes,
} from "#drizzle/schema/index.ts";
import { revokeKeys } from "#server/core/access/api-keys/revoke-api-key.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { pluralize } from "#server/core/shared/pluralize.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { refreshRulesOfMailboxes } from "#server/core/mailboxes/mailbox-rules/save-rules.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/wake-deliveries.ts";

import { publishDomainEvent, type Via } from "./internal/publish-domain-event.ts";
import { lockDomain } from "./require-domain.ts";

/**
 * Deletes a domain with its groups and aliases. API keys restricted to it are revoked and the emails they
 * scheduled canceled; other pending emails of the domain fail when due. Sent emails stay.
 *
 * @throws Refusal `not_found`, `resource_in_use` while the domain has mailboxes
 */
export async function deleteDomain(ctx: Context, id: string, { via }: { via: Via }): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    // The only row locked before emails. Creating a key, mailbox, alias or group for the domain waits for it;
    // no transaction that has locked emails does.
    const domain = await lockDomain(ctx, id);
    await requireNoMailbox(ctx, domain);
    await revokeDomainKeys(ctx, domain);
    await removeAddresses(ctx, domain);
    await ctx.db.delete(domains).where(eq(domains.id, domain.id));
    await recordAudit(ctx, "domain.deleted", { domainId: domain.id, name: domain.name });
    if (via === "api") await publishDomainEvent(ctx, "domain.deleted", domain);
  });
  if (via === "api") wakeWebhooks(ctx.db);
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

/**
 * Removes aliases and groups, with audit entries. Vacation replies of their mailboxes stop naming the
 * aliases. Locks in address order, like everywhere.
 */
async function removeAddresses(ctx: Context, { id }: Domain): Promise<void> {
  const isOfDomain = and(eq(addresses.domainId, id), ne(addresses.kind, "mailbox"));
  const found = await ctx.db
    .select({ address: addresses.address, kind: addresses.kind, mailbox: aliases.mailbox })
    .from(addresses)
    .leftJoin(aliases, eq(aliases.address, addresses.address))
    .where(isOfDomain)
    .orderBy(addresses.address)
    .for("update", { of: addresses });
  await ctx.db.delete(addresses).where(isOfDomain);
  const removed = found.filter(({ kind }) => kind === "alias");
  const groups = found.filter(({ kind }) => kind !== "alias");
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
  await refreshRulesOfMailboxes(ctx, [...new Set(removed.flatMap(({ mailbox }) => mailbox ?? []))]);
}
