import { findSuppressed } from "#server/core/sending/suppressions/find-suppressed.ts";
import { simulatedSuppression } from "#server/core/sending/test-mode/simulated-suppression.ts";
import type { Db } from "#server/db/client.ts";

import type { DueEmail } from "./lock-due.ts";

/** A due email with the recipients to send to and those to skip. */
export type AddressedEmail = {
  email: DueEmail;
  remaining: string[];
  skipped: { recipient: string; reason: string }[];
};

/** Splits the recipients of each email, each address once, by its company's suppression list. */
export async function splitSuppressed(db: Db, due: DueEmail[]): Promise<AddressedEmail[]> {
  const asked = due.flatMap((email) =>
    uniqueRecipients(email).map((address) => ({ companyId: email.companyId, email: address })),
  );
  const found = await findSuppressed(db, asked);
  const reasons = new Map(
    found.map(({ companyId, email, reason }) => [`${companyId} ${email}`, reason]),
  );
  return due.map((email) => {
    const reasonOf = (recipient: string) =>
      (email.isTest && simulatedSuppression(recipient)?.reason) ||
      reasons.get(`${email.companyId} ${recipient}`);
    const recipients = uniqueRecipients(email);
    return {
      email,
      remaining: recipients.filter((recipient) => reasonOf(recipient) === undefined),
      skipped: recipients.flatMap((recipient) => {
        const reason = reasonOf(recipient);
        return reason === undefined ? [] : { recipient, reason };
      }),
    };
  });
}

const uniqueRecipients = ({ to, cc, bcc }: DueEmail) => [...new Set([...to, ...cc, ...bcc])];
