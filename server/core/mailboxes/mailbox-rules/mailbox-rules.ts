import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import { and, eq, inArray, isNull, notLike, sql } from "drizzle-orm";

import {
  aliases,
  forwardConfirmations,
  mailboxes,
  mailboxPolicies,
  mailboxRules,
} from "#drizzle/schema/index.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/privileges.ts";
import {
  findOutsideAddresses,
  findUnknownAddresses,
} from "#server/core/mailboxes/addresses/addresses.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/require-may-open.ts";
import {
  lockMailbox,
  requirePrivilegeIn,
} from "#server/core/mailboxes/mailboxes/require-mailbox.ts";
import { notifyMailboxUser } from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, createContext, inTransaction } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";
import { readEach } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { compileRules, type Rules } from "./compile-rules.ts";
import {
  type ForwardRequest,
  listUnconfirmedForwards,
  requestConfirmation,
  type UnconfirmedForward,
} from "./forward-confirmations.ts";
import {
  checkFilters,
  checkForwarding,
  checkVacation,
  invalidRule,
  isOwnAddress,
} from "./rule-fields.ts";
import { listSuspendedForwards, resumeForwards } from "./suspended-forwards.ts";

export const NO_RULES: Rules = { forwardTo: [], keepCopy: true, vacation: null, filters: [] };

/**
 * Reads a mailbox's rules for incoming mail.
 *
 * @throws Refusal `not_found` if the company has no such mailbox
 */
export async function getRules(ctx: Context, mailbox: string): Promise<Rules> {
  const [found] = await ctx.db
    .select({ rules: mailboxRules })
    .from(mailboxes)
    .leftJoin(mailboxRules, eq(mailboxRules.mailbox, mailboxes.address))
    .where(and(eq(mailboxes.address, mailbox), eq(mailboxes.companyId, ctx.companyId)));
  if (!found) throw new Refusal("not_found", "Mailbox not found");
  if (!found.rules) return NO_RULES;
  const { forwardTo, keepCopy, vacation, filters } = found.rules;
  return { forwardTo, keepCopy, vacation, filters };
}

/**
 * Whether a change forwards mail to another address, or no longer keeps a copy of forwarded mail.
 *
 * @throws Refusal as `saveRules`
 */
export async function opensMail(
  ctx: Context,
  mailbox: string,
  change: Pick<Rules, "forwardTo" | "keepCopy">,
): Promise<boolean> {
  const before = await getRules(ctx, mailbox);
  const after = await validate(ctx, await ownAddresses(ctx, mailbox), change);
  await requireKnown(ctx, change.forwardTo, before.forwardTo);
  return forwardsMore(before, { ...change, ...after });
}

function forwardsMore(
  before: Pick<Rules, "forwardTo" | "keepCopy">,
  after: Pick<Rules, "forwardTo" | "keepCopy">,
): boolean {
  const kept = new Set(before.forwardTo.map((address) => address.toLowerCase()));
  const isMore = after.forwardTo.some((typed) => {
    const address = parseAddress(typed)?.address ?? typed;
    return !kept.has(address.toLowerCase());
  });
  return isMore || (after.forwardTo.length > 0 && before.keepCopy && !after.keepCopy);
}

/**
 * Changes some of a mailbox's rules and recompiles the script that Dovecot runs. Adding a forwarding address
 * resumes it if it was suspended, asks it to confirm if the policy says so, and notifies the mailbox user.
 *
 * @param expected the rules that the caller saw; if they have changed since, nothing is saved
 * @throws Refusal `invalid`; `resource_in_use` for other rules than `expected`; `not_allowed` if the unit's policy forbids forwarding; `not_found` if the
 *   company has no such mailbox
 */
export function saveRules(
  ctx: Context,
  mailbox: string,
  change: Partial<Rules>,
  expected: Pick<Partial<Rules>, "filters"> = {},
): Promise<Rules> {
  return inTransaction(ctx, async (ctx) => {
    await lockMailboxRow(ctx, mailbox);
    await requireMayOpen(ctx, [mailbox]);
    const own = await ownAddresses(ctx, mailbox);
    const before = await getRules(ctx, mailbox);
    if (expected.filters && !isDeepStrictEqual(expected.filters, before.filters))
      throw new Refusal(
        "resource_in_use",
        "Your filters have changed since you opened this page. Reload it and try again",
      );
    const rules = { ...before, ...(await validate(ctx, own, change)) };
    if (change.forwardTo) await requireKnown(ctx, change.forwardTo, before.forwardTo);
    const added = rules.forwardTo.filter((address) => !before.forwardTo.includes(address));
    await resumeForwards(ctx, mailbox, added);
    await storeRules(ctx, mailbox, rules, await compile(ctx, own, rules));
    const unconfirmed = await listUnconfirmedForwards(ctx, mailbox, added);
    await requestConfirmations(ctx, mailbox, { forwardTo: added, unconfirmed });
    if (forwardsMore(before, rules))
      await notifyMailboxUser(ctx, { mailbox, what: "forwarding_changed" });
    await recordAudit(ctx, "mailbox_rules.updated", {
      mailbox,
      changed: Object.keys(change),
      forward_to: rules.forwardTo,
      keep_copy: rules.keepCopy,
      vacation: rules.vacation?.isOn ?? false,
      filters: rules.filters.length,
    });
    return rules;
  });
}

/**
 * `saveRules` for an admin who can reset the password, and so could sign in and change the rules anyway.
 *
 * @throws Refusal as `saveRules`; `invalid_permission` if `callerPrivileges` don't include the mailbox's unit
 */
export function saveRulesOf(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
  named: string,
  change: Partial<Rules>,
): Promise<Rules> {
  return inTransaction(ctx, async (ctx) => {
    const { address, orgUnitId } = await lockMailbox(ctx, named);
    requirePrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnitId);
    if (Object.keys(change).length === 0) return getRules(ctx, address);
    return saveRules(ctx, address, change);
  });
}

/** Asks those of the forwarding addresses that are among the unconfirmed ones. */
async function requestConfirmations(
  ctx: Context,
  mailbox: string,
  { forwardTo, unconfirmed }: { forwardTo: string[]; unconfirmed: UnconfirmedForward[] },
): Promise<void> {
  for (const written of forwardTo)
    if (unconfirmed.some(({ address }) => address === written.toLowerCase()))
      await requestConfirmation(ctx, mailbox, written);
}

/**
 * Resumes forwarding to an address. Does nothing if it isn't suspended.
 *
 * @throws Refusal `invalid` if it isn't an email address; `not_found` if the company has no such mailbox
 */
export function resumeForward(ctx: Context, mailbox: string, typed: string): Promise<void> {
  const target = parseAddress(typed)?.address;
  if (target === undefined) throw new Refusal("invalid", "Address must be a valid email address");
  return inTransaction(ctx, async (ctx) => {
    await lockMailboxRow(ctx, mailbox);
    if ((await resumeForwards(ctx, mailbox, [target])) === 0) return;
    await refreshRules(ctx, mailbox);
    await recordAudit(ctx, "mailbox_rules.forward_resumed", { mailbox, address: target });
  });
}

/**
 * Compiles rules without the forwarding addresses that get no mail now, or that became the mailbox's own: their forwards would be
 * rejected, and then Dovecot doesn't run the rest of the script. While there are any, the mailbox keeps a copy.
 */
async function compile(ctx: Context, own: string[], rules: Rules): Promise<string> {
  const stopped = await findStoppedForwards(ctx, own[0]!, rules.forwardTo);
  const forwardTo = rules.forwardTo.filter(
    (address) => !stopped.has(address.toLowerCase()) && !isOwnAddress(address.toLowerCase(), own),
  );
  const keepCopy = rules.keepCopy || forwardTo.length < rules.forwardTo.length;
  return compileRules({ ...rules, forwardTo, keepCopy }, own);
}

/**
 * The forwarding addresses that get no mail now, in lowercase: suspended, forbidden by the unit's policy, or not confirmed
 * yet.
 */
export async function findStoppedForwards(
  ctx: Context,
  mailbox: string,
  forwardTo: string[],
): Promise<Map<string, "suspended" | "forbidden" | "unconfirmed">> {
  const unconfirmed = await listUnconfirmedForwards(ctx, mailbox, forwardTo);
  const forbidden = await findForbidden(ctx, mailbox, forwardTo);
  const suspended = await listSuspendedForwards(ctx, mailbox);
  return new Map([
    ...unconfirmed.map(({ address }) => [address, "unconfirmed"] as const),
    ...forbidden.map((address) => [address.toLowerCase(), "forbidden"] as const),
    ...suspended.map(({ target }) => [target, "suspended"] as const),
  ]);
}

/**
 * Recompiles a mailbox's script after a change to its addresses or to where it may forward. Call in the transaction of that
 * change. Stores nothing without rules.
 */
export async function refreshRules(ctx: Context, mailbox: string): Promise<Rules> {
  await lockMailboxRow(ctx, mailbox);
  const rules = await getRules(ctx, mailbox);
  if (rules !== NO_RULES) {
    const script = await compile(ctx, await ownAddresses(ctx, mailbox), rules);
    await storeRules(ctx, mailbox, rules, script);
  }
  return rules;
}

/**
 * Recompiles the scripts of the company's mailboxes that forward, after a policy, a unit or the company's domains changed,
 * or a forward was suspended. Asks addresses that now have to confirm and were never asked.
 *
 * @param mailbox only this one
 */
export async function refreshForwards(ctx: Context, mailbox?: string): Promise<void> {
  const rows = await ctx.db
    .select({ mailbox: mailboxRules.mailbox })
    .from(mailboxRules)
    .innerJoin(mailboxes, eq(mailboxes.address, mailboxRules.mailbox))
    .where(
      and(
        eq(mailboxes.companyId, ctx.companyId),
        sql`${mailboxRules.forwardTo} <> '{}'`,
        mailbox === undefined ? undefined : eq(mailboxes.address, mailbox),
      ),
    );
  for (const { mailbox } of rows) await inTransaction(ctx, (ctx) => refreshForward(ctx, mailbox));
}

async function refreshForward(ctx: Context, mailbox: string): Promise<void> {
  const { forwardTo } = await refreshRules(ctx, mailbox);
  const unconfirmed = await listUnconfirmedForwards(ctx, mailbox, forwardTo);
  const unasked = unconfirmed.filter(({ requestedAt }) => requestedAt === null);
  await requestConfirmations(ctx, mailbox, { forwardTo, unconfirmed: unasked });
}

/** Records the answer of a forwarding address. The last one counts. */
export async function answerForwardRequest(
  db: Db,
  { id, companyId, mailbox, target, state }: ForwardRequest,
  answer: "confirmed" | "declined",
): Promise<void> {
  if (state === answer) return;
  const ctx = createContext(db, companyId, { kind: "system", task: "forwarding" });
  const now = sql`clock_timestamp()`;
  await inTransaction(ctx, async (ctx) => {
    await lockMailboxRow(ctx, mailbox);
    const answered =
      answer === "confirmed" ? forwardConfirmations.confirmedAt : forwardConfirmations.declinedAt;
    const changed = await ctx.db
      .update(forwardConfirmations)
      .set({
        confirmedAt: answer === "confirmed" ? now : null,
        declinedAt: answer === "declined" ? now : null,
      })
      .where(and(eq(forwardConfirmations.id, id), isNull(answered)))
      .returning({ id: forwardConfirmations.id });
    // Another request was faster.
    if (changed.length === 0) return;
    await refreshRules(ctx, mailbox);
    await recordAudit(ctx, `mailbox_rules.forward_${answer}`, { mailbox, address: target });
  });
}

/** Like `refreshRules`, for several mailboxes; skips those without rules. */
export async function refreshRulesOfMailboxes(ctx: Context, mailboxes: string[]): Promise<void> {
  if (mailboxes.length === 0) return;
  const rows = await ctx.db
    .select({ mailbox: mailboxRules.mailbox })
    .from(mailboxRules)
    .where(inArray(mailboxRules.mailbox, mailboxes))
    .orderBy(mailboxRules.mailbox);
  for (const { mailbox } of rows) await refreshRules(ctx, mailbox);
}

async function lockMailboxRow(ctx: Context, mailbox: string): Promise<void> {
  const [found] = await ctx.db
    .select({ address: mailboxes.address })
    .from(mailboxes)
    .where(and(eq(mailboxes.address, mailbox), eq(mailboxes.companyId, ctx.companyId)))
    .for("update");
  if (!found) throw new Refusal("not_found", "Mailbox not found");
}

/** The mailbox's address comes first. Mail to a catch-all isn't addressed to the mailbox user. */
export async function ownAddresses(ctx: Context, mailbox: string): Promise<string[]> {
  const rows = await ctx.db
    .select({ address: aliases.address })
    .from(aliases)
    .where(and(eq(aliases.mailbox, mailbox), notLike(aliases.address, "*@%")))
    .orderBy(aliases.address);
  return [mailbox, ...rows.map(({ address }) => address)];
}

async function validate(
  ctx: Context,
  own: string[],
  change: Partial<Rules>,
): Promise<Partial<Rules>> {
  const { forwardTo, vacation, filters } = change;
  const addresses = forwardTo && checkForwarding(forwardTo, own);
  if (addresses) await requireAllowed(ctx, own[0]!, addresses);
  return {
    ...change,
    ...(addresses && { forwardTo: addresses }),
    ...(vacation && { vacation: checkVacation(vacation) }),
    ...(filters && { filters: checkFilters(filters) }),
  };
}

/**
 * Requires that new forwarding addresses at the company's own domains exist, because others are typing errors. This tells mailbox
 * users no more than their mail app does: the submission server rejects unknown recipients too.
 */
async function requireKnown(ctx: Context, typed: string[], before: string[]): Promise<void> {
  const kept = new Set(before.map((address) => address.toLowerCase()));
  const addresses = typed.map((text) => parseAddress(text)!.address);
  const added = addresses.filter((address) => !kept.has(address));
  const unknown = new Set(await findUnknownAddresses(ctx, added));
  readEach(addresses, (address, at) => {
    if (unknown.has(address))
      throw invalidRule(`${address} isn't an address of your company`, `forward_to[${at}]`);
  });
}

async function requireAllowed(ctx: Context, mailbox: string, forwardTo: string[]): Promise<void> {
  const forbidden = await findForbidden(ctx, mailbox, forwardTo);
  if (forbidden.length > 0)
    throw new Refusal(
      "not_allowed",
      `Your company doesn't allow forwarding mail to other organizations: ${forbidden.join(", ")}`,
    );
}

/** The addresses to which the unit's policy forbids forwarding. */
async function findForbidden(
  ctx: Context,
  mailbox: string,
  forwardTo: string[],
): Promise<string[]> {
  const [policy] = await ctx.db
    .select({ forwarding: mailboxPolicies.forwarding })
    .from(mailboxPolicies)
    .where(eq(mailboxPolicies.address, mailbox));
  return policy?.forwarding === "forbidden" ? findOutsideAddresses(ctx, forwardTo) : [];
}

async function storeRules(
  ctx: Context,
  mailbox: string,
  rules: Rules,
  script: string,
): Promise<void> {
  const scriptId = randomUUID();
  await ctx.db
    .insert(mailboxRules)
    .values({ mailbox, ...rules, script, scriptId })
    .onConflictDoUpdate({
      target: mailboxRules.mailbox,
      set: {
        ...rules,
        script,
        scriptId: sql`case when ${mailboxRules.script} = excluded.script then ${mailboxRules.scriptId} else excluded.script_id end`,
        updatedAt: sql`clock_timestamp()`,
      },
    });
}
