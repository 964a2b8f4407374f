import type { AddressHeaders } from "#drizzle/schema/index.ts";
import type { SigningDomain } from "#server/core/sending/dkim/dkim-keys.ts";
import { type LeasedEmail, leaseDueEmails } from "#server/core/sending/outbox/email-leases.ts";
import { envelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import { firstTurn } from "#server/core/sending/outbox/fair-leases.ts";
import { type LeaseOutcome, recordOutcomes } from "#server/core/sending/outbox/record-outcomes.ts";
import { OUTBOX_CHANNEL } from "#server/core/sending/outbox/queue-rows.ts";
import { findSuppressed } from "#server/core/sending/suppressions/suppressed.ts";
import type { Db } from "#server/db/client.ts";

import { delayedOutcomes, toFailedOutcomes, toRecipientOutcomes } from "./outcomes.ts";
import { prepareMessage, rejectSpam } from "./prepare.ts";
import type { MailQueue, PumpOptions } from "./source.ts";

/** Emails of the API: composed and signed at delivery, with outcomes recorded in their history. */
export function emailSource(options: PumpOptions): MailQueue<LeasedEmail, LeaseOutcome> {
  const { connection } = options;
  const { db } = connection;
  const turn = firstTurn();
  return {
    channel: OUTBOX_CHANNEL,
    queue: "outbox",
    lease: (lease) => leaseDueEmails(db, { ...lease, turn }),
    filter: (owner, leased) => withoutSuppressed(db, owner, leased),
    signer: ({ domainId }) => domainId,
    prepare: (email, signer) => prepareMessage(email, signer, { ...options, db }),
    scan: async (email, prepared) => (email.isTest ? prepared : rejectSpam(prepared, email, db)),
    envelopeFrom: ({ id }, signer) => envelopeSender(id, returnPath(signer, options)),
    rcptTo: ({ body }, recipient) => asWritten(body?.addressHeaders, recipient),
    author: ({ companyId, body }) => ({
      from: body?.addressHeaders.from.address ?? null,
      author: { companyId },
      // An API key proves the company, not the From address.
      isFromVerified: false,
      clientAddress: null,
    }),
    toResults: toRecipientOutcomes,
    delayed: (email, reason) =>
      toRecipientOutcomes(email, delayedOutcomes(email.recipients, reason)),
    failed: toFailedOutcomes,
    record: (owner, outcomes) => recordOutcomes(db, owner, outcomes),
  };
}

/**
 * The domain that bounces return to: the sending domain's own if its DNS leads here. A smarthost sends from addresses
 * that its SPF record may not allow.
 */
export function returnPath(
  signer: SigningDomain | Error | undefined,
  { relay, hostname }: Pick<PumpOptions, "relay" | "hostname">,
): string {
  const own = signer && !(signer instanceof Error) ? signer.returnPath : null;
  return relay ? hostname : (own ?? hostname);
}

function asWritten(headers: AddressHeaders | undefined, recipient: string): string {
  const all = headers ? [...headers.to, ...headers.cc, ...(headers.bcc ?? [])] : [];
  return all.find(({ address }) => address === recipient)?.written ?? recipient;
}

/** Younger emails aren't checked again, to keep the first attempt cheap. */
const FRESH_MS = 60_000;

/**
 * Records recipients who were suppressed after acceptance, such as by unsubscribing, as suppressed, and returns the emails
 * without them. Checks only emails that were tried before, or waited for more than a minute, on hold or in a long queue.
 */
async function withoutSuppressed(
  db: Db,
  owner: string,
  leased: LeasedEmail[],
): Promise<LeasedEmail[]> {
  const waited = leased.filter(hasWaited);
  const asked = waited.flatMap(({ companyId, recipients }) =>
    recipients.map(({ recipient }) => ({ companyId, email: recipient.toLowerCase() })),
  );
  const found = await findSuppressed(db, asked);
  if (found.length === 0) return leased;
  const reasons = new Map(
    found.map(({ companyId, email, reason }) => [`${companyId} ${email}`, reason]),
  );
  const ended: LeaseOutcome[] = [];
  for (const { id: emailId, companyId, recipients } of waited)
    for (const { rowId, recipient, attempt } of recipients) {
      const reason = reasons.get(`${companyId} ${recipient.toLowerCase()}`);
      if (reason === undefined) continue;
      ended.push({ rowId, emailId, recipient, attempt, result: "suppressed", reason });
    }
  await recordOutcomes(db, owner, ended);
  const endedIds = new Set(ended.map(({ rowId }) => rowId));
  return leased.flatMap((email) => {
    const recipients = email.recipients.filter(({ rowId }) => !endedIds.has(rowId));
    return recipients.length > 0 ? [{ ...email, recipients }] : [];
  });
}

const hasWaited = ({ isTest, sentAt, recipients }: LeasedEmail): boolean =>
  !isTest &&
  (recipients.some(({ attempt }) => attempt > 0) ||
    (sentAt !== null && Date.now() - Date.parse(sentAt) > FRESH_MS));
