import { and, eq, inArray, or, sql } from "drizzle-orm";

import {
  addresses,
  aliases,
  appPasswords,
  forwardConfirmations,
  forwardSuspensions,
  type Mailbox,
  mailboxContacts,
  mailboxes,
  mailboxIdentities,
  mailboxMoves,
  mailboxPasskeys,
  mailboxRecoveryCodes,
  mailboxRules,
  mailboxShares,
  mailboxSignIns,
  mailboxUsage,
  mailImportBatches,
  mailImportErrors,
  mailImportFolders,
  mailImports,
  orgUnits,
  removedStores,
  signInNetworks,
} from "#drizzle/schema/index.ts";
import { cancelImportsInto } from "#server/core/mailboxes/imports/imports.ts";
import { listMailHosts } from "#server/core/mailboxes/mail-hosts/mail-hosts.ts";
import {
  refreshRules,
  refreshRulesOfMailboxes,
} from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { deletePredecessorRecords } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import { requirePlanRoom } from "#server/core/mailboxes/mailboxes/plan-room.ts";
import { requireUnit } from "#server/core/mailboxes/org-units/units.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import {
  type Deleted,
  forgetDeleted,
  keepFromOthers,
  recordDeleted,
  restoreRows,
} from "#server/core/shared/deleted-items/deleted-items.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import {
  domainOfKept,
  lockDomainsOfDeleted,
  restoreAddresses,
  restoreShares,
} from "./deleted-addresses.ts";

/**
 * Keeps a locked mailbox that is about to be deleted. Its mail stays in its folder, which no user has from now on. Its imports
 * are canceled.
 *
 * @param own its aliases
 * @returns the id to restore it by
 */
export async function keepMailbox(ctx: Context, mailbox: Mailbox, own: string[]): Promise<string> {
  const { address, name: title, domainId, store, storeHost } = mailbox;
  const all = [address, ...own];
  await cancelImportsInto(ctx, address);
  const folders = sql`(select f.id from mail_import_folders f join mail_imports i on i.id = f.import_id
    where i.mailbox = ${address})`;
  const [usage] = await ctx.db.select().from(mailboxUsage).where(eq(mailboxUsage.address, address));
  const item = {
    kind: "mailbox" as const,
    name: address,
    title,
    domainId,
    addresses: all,
    store,
    storeHost,
    storageBytes: usage?.usedBytes ?? 0,
    messages: usage?.messages ?? 0,
  };
  return recordDeleted(ctx, item, [
    [addresses, inArray(addresses.address, all)],
    [mailboxes, eq(mailboxes.address, address)],
    [aliases, eq(aliases.mailbox, address)],
    [appPasswords, eq(appPasswords.mailbox, address)],
    [mailboxPasskeys, eq(mailboxPasskeys.email, address)],
    [mailboxIdentities, eq(mailboxIdentities.mailbox, address)],
    [mailboxRecoveryCodes, eq(mailboxRecoveryCodes.email, address)],
    [mailboxRules, eq(mailboxRules.mailbox, address)],
    [mailboxShares, or(eq(mailboxShares.mailbox, address), eq(mailboxShares.member, address))!],
    [forwardConfirmations, eq(forwardConfirmations.mailbox, address)],
    [forwardSuspensions, eq(forwardSuspensions.mailbox, address)],
    [mailboxContacts, eq(mailboxContacts.mailbox, address)],
    [mailboxMoves, eq(mailboxMoves.mailbox, address)],
    [mailboxUsage, eq(mailboxUsage.address, address)],
    [mailboxSignIns, eq(mailboxSignIns.address, address)],
    [signInNetworks, eq(signInNetworks.account, address)],
    [mailImports, eq(mailImports.mailbox, address)],
    [mailImportFolders, sql`${mailImportFolders.id} in ${folders}`],
    [mailImportBatches, sql`${mailImportBatches.folderId} in ${folders}`],
    [mailImportErrors, sql`${mailImportErrors.folderId} in ${folders}`],
  ]);
}

/**
 * Restores a locked deleted mailbox with its mail, aliases, rules and app passwords, as it was. If another mailbox received its mail meanwhile, its
 * addresses are taken back from there. It returns to the root unit if its unit was
 * deleted, and its quota is capped by the plan, as that of a new or changed mailbox is. Call in a transaction.
 *
 * @returns the quota in MB if the plan's cap has lowered it, else null
 * @throws Refusal as `lockDomainsOfDeleted` and `restoreAddresses`; `account_inactive`, and `not_allowed` if the plan's limit is reached
 */
export async function restoreDeletedMailbox(ctx: Context, item: Deleted): Promise<number | null> {
  const { id, name: address } = item;
  const unitId = await lockUnitOfKept(ctx, id);
  await lockDomainsOfDeleted(ctx, item);
  await requirePlanRoom(ctx);
  await takeBackAddresses(ctx, id);
  const restored = await restoreAddresses(ctx, item);
  await keepFromOthers(ctx, id, restored);
  await deletePredecessorRecords(ctx, address);
  await restoreRows(ctx.db, id, mailboxes, {
    set: {
      domain_id: domainOfKept(),
      org_unit_id: sql`${unitId}::int`,
      store_host: sql`d.store_host`,
      // `least` ignores null, which is a plan without a cap.
      quota_mb: sql`least(kept.quota_mb, (select quota_mb_max from companies where id = kept.company_id))`,
    },
  });
  await restoreRows(ctx.db, id, aliases, {
    where: sql`kept.address in (select jsonb_array_elements_text(${JSON.stringify(restored)}::jsonb))`,
  });
  for (const table of [
    appPasswords,
    mailboxRules,
    forwardConfirmations,
    forwardSuspensions,
    mailboxContacts,
    mailboxMoves,
    mailboxUsage,
    mailboxSignIns,
    signInNetworks,
    mailboxPasskeys,
    mailboxRecoveryCodes,
    mailImports,
    mailImportFolders,
    mailImportBatches,
    mailImportErrors,
  ])
    await restoreRows(ctx.db, id, table);
  // The provider may have been replaced, and its account linked to another mailbox.
  await restoreRows(ctx.db, id, mailboxIdentities, {
    where: sql`kept.provider_id in (select id from identity_providers)`,
  });
  await restoreShares(ctx, id);
  await refreshRules(ctx, address);
  const quota = await readLoweredQuota(ctx, item);
  await forgetDeleted(ctx, id);
  const own = restored.filter((each) => each !== address).toSorted();
  await recordAudit(ctx, "mailbox.undeleted", {
    mailbox: address,
    aliases: own,
    ...(quota && { quotaMb: quota }),
  });
  return quota && quota.to;
}

/** Addresses that are reserved for a deleted mailbox can meanwhile be aliases of the mailbox that its mail is delivered to. */
async function takeBackAddresses(ctx: Context, itemId: string): Promise<void> {
  const reserved = sql`(select unnest(addresses) from deleted_items where id = ${itemId} and is_reserved)`;
  const taken = await ctx.db
    .delete(addresses)
    .where(
      and(
        eq(addresses.companyId, ctx.companyId),
        eq(addresses.kind, "alias"),
        sql`${addresses.address} in ${reserved}`,
      ),
    )
    .returning({
      alias: addresses.address,
      mailbox: sql<string>`(select l.mailbox from aliases l where l.address = addresses.address)`,
    });
  await refreshRulesOfMailboxes(ctx, [...new Set(taken.map(({ mailbox }) => mailbox))]);
  const sorted = taken.toSorted((a, b) => (a.alias < b.alias ? -1 : 1));
  await recordAudits(ctx, "alias.removed", sorted);
}

/** The quota before and after, if restoring has lowered it. */
async function readLoweredQuota({ db }: Context, { id, name }: Deleted) {
  const [quota] = await db.execute<{ from: number; to: number }>(sql`
    select (d.contents -> 'mailboxes' -> 0 ->> 'quota_mb')::int as "from", m.quota_mb as "to"
    from deleted_items d join mailboxes m on m.address = ${name} where d.id = ${id}`);
  return quota!.to < quota!.from ? quota! : null;
}

/** The mailbox's unit, locked against deletion; the root unit if it is gone. */
async function lockUnitOfKept(ctx: Context, itemId: string): Promise<number> {
  const [unit] = await ctx.db
    .select({ id: orgUnits.id })
    .from(orgUnits)
    .where(
      and(
        eq(orgUnits.companyId, ctx.companyId),
        sql`${orgUnits.id} = (select (contents -> 'mailboxes' -> 0 ->> 'org_unit_id')::int
          from deleted_items where id = ${itemId})`,
      ),
    )
    .for("key share");
  return requireUnit(ctx, unit?.id ?? null);
}

/** Enough for sessions to end and running deliveries to finish, if the mailbox was deleted just now. */
const REMOVED_AFTER_MS = 15_000;

/**
 * Has the folder of a deleted mailbox deleted from disk, on all mail hosts: a move may have left a copy on another one. Call in the transaction
 * that deletes its record.
 */
export async function discardStore(
  { db }: Pick<CompanyScope, "db">,
  { store, address }: { store: string; address: string },
): Promise<void> {
  const hosts = await listMailHosts(db);
  const storeHosts = hosts.length === 0 ? [null] : hosts.map(({ name }) => name);
  const rows = storeHosts.map((storeHost) => ({ store, address, storeHost }));
  await db.insert(removedStores).values(rows).onConflictDoNothing();
  const runAt = new Date(Date.now() + REMOVED_AFTER_MS);
  await enqueue(db, "remove_mail_stores", {}, { runAt });
}
