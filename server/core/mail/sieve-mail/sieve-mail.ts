import { sql } from "drizzle-orm";

import type { MailboxPolicy } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { addArcSeal } from "#server/core/mail/authentication/arc-seal.ts";
import { parseSystemAddress } from "#server/core/mail/incoming/recipients.ts";
import {
  requireAllowedRecipients,
  requireOwnAddress,
  SubmissionError,
} from "#server/core/mail/submission/submitter.ts";
import { findOutsideAddresses } from "#server/core/mailboxes/addresses/addresses.ts";
import {
  isForwardConfirmed,
  requestConfirmation,
} from "#server/core/mailboxes/mailbox-rules/forward-confirmations.ts";
import { isForwardSuspended } from "#server/core/mailboxes/mailbox-rules/suspended-forwards.ts";
import { resolveOutgoing, resolveRecipients } from "#server/core/mailboxes/mailboxes/recipients.ts";
import { acceptMessage, wakeMessages } from "#server/core/sending/messages/messages.ts";
import {
  type ParsedAddress,
  parseAddress,
  readReversePath,
} from "#server/core/shared/addresses/parse-address.ts";
import { createContext, inTransaction } from "#server/core/shared/context.ts";
import { fieldValue } from "#server/core/shared/mime/header-fields.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import type { Db } from "#server/db/client.ts";

/** A message that a mailbox's Sieve script sends through Dovecot. */
export type SieveMail = {
  /** Return path; "" for the null sender. */
  sender: string;
  recipient: string;
  /** With CRLF line endings, and on top the two fields in which Pigeonhole names the script's owner. */
  message: Message;
};

/**
 * Queues a Sieve script's message: a forward (`redirect`) or a vacation reply. Committed when this resolves.
 *
 * @throws SieveMailRejected
 */
export async function queueSieveMail(db: Db, mail: SieveMail): Promise<void> {
  const { forwarder } = readTrace(mail.message);
  // A vacation reply's sender is the mailbox, or the alias that got the message.
  const mailbox = await findScriptedMailbox(db, forwarder ?? mail.sender);
  if (!mailbox || mailbox.isBlocked) throw new SieveMailRejected("This mailbox can't send mail");
  try {
    if (forwarder === null) await queueVacationReply(db, mailbox, mail);
    else await queueForward(db, mailbox, mail);
  } catch (error) {
    if (error instanceof SubmissionError) throw new SieveMailRejected(error.message);
    throw error;
  }
  wakeMessages(db);
}

/**
 * The mailbox that forwards; null for a vacation reply. Pigeonhole puts `X-Sieve` and, for a forward,
 * `X-Sieve-Redirected-From` above the fields from outside.
 */
function readTrace({ raw, fields }: Message): { forwarder: string | null } {
  const [sieve, redirected] = fields;
  if (sieve?.name !== "x-sieve") throw new Error("Pigeonhole's X-Sieve field is missing");
  if (redirected?.name !== "x-sieve-redirected-from") return { forwarder: null };
  return { forwarder: fieldValue(raw, redirected).toLowerCase() };
}

/** RFC 5321, 6.3. */
const HOPS_MAX = 50;

/**
 * Queues a forward with an unchanged body. Forwards that leave the company are ARC-sealed with the authentication
 * results from their arrival. A forward that can't be delivered is returned to the mailbox.
 */
async function queueForward(
  db: Db,
  mailbox: ScriptedMailbox,
  { recipient, message }: SieveMail,
): Promise<void> {
  const parsed = parseAddress(recipient);
  if (!parsed) throw new SieveMailRejected("Invalid email address");
  const { address: target, written } = parsed;
  const known = (await resolveOutgoing(db, [target])).get(target);
  if (known?.kind === "mailbox" && known.mailbox === mailbox.address)
    throw new SieveMailRejected("A mailbox can't forward to itself");
  requireNoLoop(message, { mailbox: mailbox.address, target });
  await requireMayForward(db, mailbox, parsed);
  if (await isForwardSuspended(db, mailbox.address, target))
    throw new SieveMailRejected("Forwarding to this address is suspended");

  const isSealed = known?.companyId !== mailbox.companyId;
  const { domainId, companyId } = mailbox;
  const onward = isSealed ? await addArcSeal(db, message, { domainId }) : message.raw;
  const { headerFrom, subject, messageId } = message.header;
  await db.transaction(async (tx) => {
    await requireUnderHourlyLimit(tx, mailbox.address, "forward");
    await acceptMessage(tx, {
      companyId,
      origin: "forward",
      mailbox: mailbox.address,
      groupAddress: null,
      sender: mailbox.address,
      isSenderTold: true,
      signingDomainId: null,
      content: onward,
      headerFrom,
      subject,
      messageId,
      clientAddress: null,
      recipients: [{ address: target, written, isHeld: mailbox.isHeld }],
    });
  });
}

/**
 * Applies the unit's policy to a forward. If the mailbox user's own script forwards to an address that must confirm, its first
 * message sends the request.
 *
 * @throws SieveMailRejected
 */
async function requireMayForward(
  db: Db,
  { address, companyId, forwarding }: ScriptedMailbox,
  { address: target, written = target }: ParsedAddress,
): Promise<void> {
  if (forwarding === "allowed") return;
  if ((await findOutsideAddresses({ db, companyId }, [target])).length === 0) return;
  if (forwarding === "forbidden")
    throw new SieveMailRejected(`Your company doesn't allow forwarding to ${target}`);
  if (await isForwardConfirmed(db, address, target)) return;
  const ctx = createContext(db, companyId, { kind: "mailbox", address });
  await inTransaction(ctx, (ctx) => requestConfirmation(ctx, address, written));
  throw new SieveMailRejected(`${target} hasn't confirmed that mail may be forwarded to it`);
}

/** @throws SieveMailRejected if the message has already been at the target, or loops */
function requireNoLoop(
  message: Message,
  { mailbox, target }: { mailbox: string; target: string },
): void {
  // Pigeonhole just added the first two.
  const fields = message.fields.slice(2);
  const has = (name: string, value: string) =>
    fields.some(
      (field) => field.name === name && fieldValue(message.raw, field).toLowerCase() === value,
    );
  if (has("delivered-to", target))
    throw new SieveMailRejected("The message was already delivered to that address");
  if (has("x-sieve-redirected-from", mailbox))
    throw new SieveMailRejected("The message was already forwarded from this mailbox");
  if (fields.filter(({ name }) => name === "received").length > HOPS_MAX)
    throw new SieveMailRejected("The message has passed too many servers");
}

/**
 * Queues a vacation reply (RFC 5230, RFC 3834) with a null sender, so that it can't bounce. Pigeonhole decides whom
 * to reply to and how often, but doesn't know the appliance's own return paths, which must get no replies.
 */
async function queueVacationReply(
  db: Db,
  mailbox: ScriptedMailbox,
  { recipient, message }: SieveMail,
): Promise<void> {
  const target = readReversePath(recipient);
  if (!target || parseSystemAddress(target, config().hostname) !== null)
    throw new SieveMailRejected("This address doesn't accept replies");
  const known = (await resolveRecipients(db, [target])).get(target);
  if (known?.kind === "mailbox" && known.mailbox === mailbox.address)
    throw new SieveMailRejected("A mailbox can't reply to itself");
  await requireAllowedRecipients(db, mailbox, [target]);

  const { from, headerFrom, subject, messageId } = message.header;
  if (from === null) throw new SieveMailRejected("The message has no valid From address");
  const { domainId } = await requireOwnAddress(db, mailbox, from, "From");
  const { companyId } = mailbox;
  await db.transaction(async (tx) => {
    await requireUnderHourlyLimit(tx, mailbox.address, "vacation");
    await acceptMessage(tx, {
      companyId,
      origin: "vacation",
      mailbox: mailbox.address,
      groupAddress: null,
      sender: "",
      isSenderTold: false,
      signingDomainId: domainId,
      content: message.raw,
      headerFrom,
      subject,
      messageId,
      clientAddress: null,
      recipients: [{ address: target, isHeld: mailbox.isHeld }],
    });
  });
}

/** A mailbox whose Sieve script sends, with what decides whether it can. */
type ScriptedMailbox = {
  address: string;
  companyId: string;
  domainId: string;
  /** Its sending is on hold. */
  isHeld: boolean;
  /** Its company can't send. A suspended mailbox still forwards, often to a successor. */
  isBlocked: boolean;
  outsideAllowed: boolean;
  forwarding: MailboxPolicy["forwarding"];
};

/** Resolves an address, alias or tagged address to its mailbox. */
async function findScriptedMailbox(db: Db, address: string): Promise<ScriptedMailbox | null> {
  const found = (await resolveRecipients(db, [address])).get(address);
  if (found?.kind !== "mailbox") return null;
  const [row] = await db.execute<ScriptedMailbox>(sql`
    select m.address, m.company_id as "companyId", m.domain_id as "domainId",
      m.sending_held_at is not null as "isHeld",
      c.suspended_at is not null or not c.service_enabled or not c.subscription_active
        as "isBlocked",
      p.outside_allowed as "outsideAllowed", p.forwarding
    from mailboxes m
      join companies c on c.id = m.company_id
      join mailbox_policies p on p.address = m.address
    where m.address = ${found.mailbox}`);
  return row ?? null;
}

// Per mailbox, so that a flood of incoming mail doesn't become a flood of outgoing mail.
const HOURLY_MAX = { forward: 500, vacation: 100 };

/**
 * Requires that a mailbox is under its hourly limit of forwards or vacation replies. Locks the mailbox until the
 * caller's transaction ends, so that concurrent messages are counted.
 *
 * @throws SieveMailRejected
 */
async function requireUnderHourlyLimit(
  db: Db,
  mailbox: string,
  origin: keyof typeof HOURLY_MAX,
): Promise<void> {
  await db.execute(sql`select from mailboxes where address = ${mailbox} for no key update`);
  const [found] = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from messages
    where mailbox = ${mailbox} and origin = ${origin}
      and created_at > clock_timestamp() - interval '1 hour'`);
  if (found!.count >= HOURLY_MAX[origin])
    throw new SieveMailRejected(`Limit of ${HOURLY_MAX[origin]} messages per hour reached`);
}

/** A Sieve script's message is rejected permanently. */
export class SieveMailRejected extends Error {
  override name = "SieveMailRejected";
}
