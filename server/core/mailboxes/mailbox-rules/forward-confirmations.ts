import { and, eq, type SQL, sql } from "drizzle-orm";
import { parse, stringify, v7 } from "uuid";

import {
  companies,
  forwardConfirmations,
  mailboxes,
  mailboxPolicies,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { findOutsideAddresses } from "#server/core/mailboxes/addresses/addresses.ts";
import { addressVariants } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { readExpiringToken, signExpiringToken } from "#server/core/shared/secrets/link-token.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

/** How long a request can be confirmed. It can be declined for as long as the mailbox exists. */
export const CONFIRMATION_DAYS = 7;

/** Requests to one address for one mailbox. The count starts again after `PAUSE_DAYS` without a request. */
const REQUESTS_MAX = 3;
const PAUSE_DAYS = 30;

/** Requests a day, so that they can't flood strangers with mail. An address and its `+tags` count as one. */
const DAILY_MAX = { address: 5, mailbox: 20, company: 500 };

const RESEND_HOURS = 1;

const isOf = (mailbox: string, target: string) =>
  and(eq(forwardConfirmations.mailbox, mailbox), eq(forwardConfirmations.target, target));

/** Whether an address outside the company has confirmed that the mailbox forwards mail to it. */
export async function isForwardConfirmed(
  db: Db,
  mailbox: string,
  target: string,
): Promise<boolean> {
  const confirmed = sql`${forwardConfirmations.confirmedAt} is not null`;
  return (await db.$count(forwardConfirmations, and(isOf(mailbox, target), confirmed))) > 0;
}

/** A forwarding address that gets no mail because it hasn't confirmed the request. */
export type UnconfirmedForward = {
  address: string;
  isDeclined: boolean;
  /** Null if no request was sent. */
  requestedAt: string | null;
};

/**
 * The mailbox's forwarding addresses that must confirm and haven't. Includes those that the mailbox user's own scripts tried
 * to forward to in the last 30 days.
 *
 * @param forwardTo those of the mailbox's rules
 */
export async function listUnconfirmedForwards(
  ctx: Context,
  mailbox: string,
  forwardTo: string[],
): Promise<UnconfirmedForward[]> {
  const [policy] = await ctx.db
    .select({ forwarding: mailboxPolicies.forwarding })
    .from(mailboxPolicies)
    .innerJoin(mailboxes, eq(mailboxes.address, mailboxPolicies.address))
    .where(and(eq(mailboxPolicies.address, mailbox), eq(mailboxes.companyId, ctx.companyId)));
  if (policy?.forwarding !== "confirmed") return [];
  const rows = await ctx.db
    .select({
      address: forwardConfirmations.target,
      isFromScript: forwardConfirmations.isFromScript,
      isConfirmed: sql<boolean>`${forwardConfirmations.confirmedAt} is not null`,
      isDeclined: sql<boolean>`${forwardConfirmations.declinedAt} is not null`,
      requestedAt: forwardConfirmations.requestedAt,
      isRecent: sql<boolean>`${forwardConfirmations.requestedAt} > statement_timestamp() - make_interval(days => ${PAUSE_DAYS})`,
    })
    .from(forwardConfirmations)
    .where(eq(forwardConfirmations.mailbox, mailbox));
  const scripted = rows.filter(({ isFromScript, isRecent }) => isFromScript && isRecent);
  const targets = [
    ...(await findOutsideAddresses(
      ctx,
      forwardTo.map((address) => address.toLowerCase()),
    )),
    ...scripted.map(({ address }) => address),
  ];
  return [...new Set(targets)].flatMap((address) => {
    const row = rows.find((each) => each.address === address);
    if (row?.isConfirmed) return [];
    const { isDeclined = false, requestedAt = null } = row ?? {};
    return [{ address, isDeclined, requestedAt }];
  });
}

/**
 * Asks an address outside the company to confirm forwarding, unless it was asked before and the request hasn't expired,
 * it has answered, or too many requests were sent. Call in a transaction that doesn't lock the mailbox later.
 *
 * @param written the address as the mailbox user wrote it
 * @param afterHours how old the last request must be
 * @returns whether it was asked
 */
export async function requestConfirmation(
  ctx: Context,
  mailbox: string,
  written: string,
  afterHours: number = CONFIRMATION_DAYS * 24,
): Promise<boolean> {
  const target = written.toLowerCase();
  const { db, companyId } = ctx;
  const isDone = (row: SQL) => sql`(${row}.confirmed_at is not null
    or ${row}.requested_at >= statement_timestamp() - make_interval(hours => ${afterHours})
    or ${row}.requests >= ${REQUESTS_MAX}
      and ${row}.requested_at >= statement_timestamp() - make_interval(days => ${PAUSE_DAYS}))`;
  // Checked before locking, because a script asks for each message.
  const isOver = sql`(declined_at is not null or ${isDone(sql`${forwardConfirmations}`)})`;
  if ((await db.$count(forwardConfirmations, and(isOf(mailbox, target), isOver))) > 0) return false;
  // The insert takes this lock too. Take it before the other lock, because `saveRules` has already locked the mailbox.
  await db.execute(sql`select from mailboxes where address = ${mailbox} for key share`);
  await lock(db, "forwardRequests");
  const untagged = addressVariants(target).at(-1)!;
  const isSame = (address: SQL) =>
    sql`regexp_replace(${address}, '^([^+@]+)[+][^@]*@', '\\1@') = ${untagged}`;
  const [asked] = await db.execute<{ id: string }>(sql`
    with lately as (
      select f.mailbox, f.requests, m.company_id, ${isSame(sql`f.target`)} as is_same
      from forward_confirmations f join mailboxes m on m.address = f.mailbox
      where f.requested_at > statement_timestamp() - interval '1 day'
    ), audited as (
      -- Also for mailboxes that were deleted since.
      select ${isSame(sql`details ->> 'address'`)} as is_same from audit_entries
      where company_id = ${companyId} and created_at > statement_timestamp() - interval '1 day'
        and action = 'mailbox_rules.forward_requested'
    )
    insert into forward_confirmations as known (id, mailbox, target, written, is_from_script)
    select ${v7()}::uuid, ${mailbox}, ${target}, ${written}, not exists (
      select from mailbox_rules r, unnest(r.forward_to) address
      where r.mailbox = ${mailbox} and lower(address) = ${target})
    where not exists (
        select from forward_confirmations f join mailboxes m on m.address = f.mailbox
        where f.declined_at is not null and m.company_id = ${companyId} and ${isSame(sql`f.target`)})
      and (select coalesce(sum(requests), 0) from lately where is_same) < ${DAILY_MAX.address}
      and (select count(*) from audited where is_same) < ${DAILY_MAX.address}
      and (select coalesce(sum(requests), 0) from lately where mailbox = ${mailbox}) < ${DAILY_MAX.mailbox}
      and (select coalesce(sum(requests), 0) from lately where company_id = ${companyId}) < ${DAILY_MAX.company}
      and (select count(*) from audited) < ${DAILY_MAX.company}
      -- The last answer, also to a mailbox that was deleted since.
      and 'mailbox_rules.forward_declined' is distinct from (
        select action from audit_entries
        where company_id = ${companyId} and ${isSame(sql`details ->> 'address'`)}
          and action in ('mailbox_rules.forward_confirmed', 'mailbox_rules.forward_declined')
        order by created_at desc limit 1)
    on conflict (mailbox, target) do update set
      requested_at = clock_timestamp(), written = excluded.written, is_from_script = excluded.is_from_script,
      requests = case when known.requested_at < statement_timestamp() - make_interval(days => ${PAUSE_DAYS})
        then 1 else known.requests + 1 end
    where not ${isDone(sql`known`)}
    returning id`);
  if (!asked) return false;
  const notice = { kind: "forward_requested", confirmationId: asked.id } as const;
  await enqueue(db, "send_notice", { id: v7(), companyId, notice });
  await recordAudit(ctx, "mailbox_rules.forward_requested", { mailbox, address: target });
  return true;
}

/**
 * Sends the request to a forwarding address again.
 *
 * @param forwardTo those of the mailbox's rules
 * @throws Refusal `not_found` if the mailbox waits for no such address; `not_allowed` if it has declined; `rate_limit_exceeded`
 */
export function resendRequest(
  ctx: Context,
  mailbox: string,
  { target, forwardTo }: { target: string; forwardTo: string[] },
): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const address = target.toLowerCase();
    const waiting = await listUnconfirmedForwards(ctx, mailbox, forwardTo);
    const found = waiting.find((each) => each.address === address);
    if (!found) throw new Refusal("not_found", "No request to this address is pending");
    if (found.isDeclined)
      throw new Refusal("not_allowed", `${address} declined mail forwarded from this mailbox`);
    const written = forwardTo.find((each) => each.toLowerCase() === address) ?? address;
    if (!(await requestConfirmation(ctx, mailbox, written, RESEND_HOURS)))
      throw new Refusal(
        "rate_limit_exceeded",
        "No more requests can be sent to this address now. Ask its owner to check for the last one, including in the spam folder, or try again later",
      );
  });
}

/** A request as its link shows it. */
export type ForwardRequest = NonNullable<Awaited<ReturnType<typeof findForwardRequest>>>;

/** Null once the mailbox is deleted. */
export async function findForwardRequest(db: Db, id: string) {
  const [found] = await db
    .select({
      id: forwardConfirmations.id,
      mailbox: forwardConfirmations.mailbox,
      target: forwardConfirmations.target,
      written: forwardConfirmations.written,
      companyId: companies.id,
      companyName: companies.name,
      state: sql<
        "open" | "confirmed" | "declined"
      >`case when ${forwardConfirmations.confirmedAt} is not null then 'confirmed'
        when ${forwardConfirmations.declinedAt} is not null then 'declined' else 'open' end`,
    })
    .from(forwardConfirmations)
    .innerJoin(mailboxes, eq(mailboxes.address, forwardConfirmations.mailbox))
    .innerJoin(companies, eq(companies.id, mailboxes.companyId))
    .where(eq(forwardConfirmations.id, id));
  return found ?? null;
}

export const FORWARD_PATH = "/forward/";

const DAY_MS = 86_400_000;

/** The link in a request. */
export function forwardRequestUrl(id: string, now: Date): string {
  const expiresAt = new Date(now.getTime() + CONFIRMATION_DAYS * DAY_MS);
  return `${config().baseUrl}${FORWARD_PATH}${signExpiringToken("forward", parse(id), expiresAt)}`;
}

/** What a link's token says; null unless this instance signed it. */
export function readForwardToken(
  token: string,
  now: Date,
): { id: string; isExpired: boolean } | null {
  const read = readExpiringToken("forward", token, now);
  return read && { id: stringify(read.signed), isExpired: read.isExpired };
}
