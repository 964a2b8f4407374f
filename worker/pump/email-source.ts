import type { AddressHeaders } from "#drizzle/schema/index.ts";
import type { SigningDomain } from "#server/core/sending/dkim/load-signing-domains.ts";
import {
  firstTurn,
  leaseDueEmails,
  type LeasedEmail,
} from "#server/core/sending/outbox/lease-due-emails.ts";
import { envelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import {
  recordOutcomes,
  type RecipientOutcome,
} from "#server/core/sending/outbox/record-outcomes.ts";
import { OUTBOX_CHANNEL } from "#server/core/sending/outbox/wake-pump.ts";

import { toRecipientOutcomes, delayedOutcomes, toFailedOutcomes } from "./outcomes.ts";
import { prepareMessage } from "./prepare-message.ts";
import type { PumpOptions } from "./pump-options.ts";
import { rejectSpam } from "./reject-spam.ts";
import type { Source } from "./source.ts";
import { withoutSuppressed } from "./without-suppressed.ts";

/** Emails of the API: composed and signed at delivery, with outcomes recorded in their history. */
export function emailSource(options: PumpOptions): Source<LeasedEmail, RecipientOutcome> {
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
