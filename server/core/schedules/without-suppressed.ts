import { findSuppressed } from "#server/core/suppressions/find-suppressed.ts";
import type { Db } from "#server/db/client.ts";

import type { DueEmail } from "./lock-due.ts";
import type { AddressedEmail } from "./send-due.ts";

/** Parts the recipients of each email into those to send to and those on the company's suppression list now. */
export async function withoutSuppressed(db: Db, due: DueEmail[]): Promise<AddressedEmail[]> {
  const ofCompanies = [...Map.groupBy(due, ({ companyId }) => companyId)];
  const parted = await Promise.all(
    ofCompanies.map(async ([companyId, emails]) => {
      const suppressed = await findSuppressed(
        { db, companyId },
        emails.flatMap((email) => recipientsOf(email)),
      );
      return emails.map((email) => {
        const recipients = recipientsOf(email);
        return {
          email,
          remaining: recipients.filter((address) => !suppressed.has(address)),
          skipped: recipients.flatMap((recipient) => {
            const found = suppressed.get(recipient);
            return found ? { recipient, reason: found.reason } : [];
          }),
        };
      });
    }),
  );
  const byId = new Map(parted.flat().map((addressed) => [addressed.email.id, addressed]));
  // In the order in which they came: those that have waited longest go first.
  return due.flatMap(({ id }) => byId.get(id) ?? []);
}

/** Each address once, whichever fields name it. */
const recipientsOf = ({ to, cc, bcc }: DueEmail) => [...new Set([...to, ...cc, ...bcc])];
