import { findSuppressed } from "#server/core/sending/suppressions/find-suppressed.ts";
import {
  type SplitRecipients,
  splitSuppressed,
} from "#server/core/sending/suppressions/split-suppressed.ts";
import type { Db } from "#server/db/client.ts";

import type { DueEmail } from "./lock-due.ts";

/** A due email with the recipients to send to and those to skip. */
export type AddressedEmail = SplitRecipients & { email: DueEmail };

/** Splits the recipients of each email, each address once, by its company's suppression list. */
export async function splitRecipients(db: Db, due: DueEmail[]): Promise<AddressedEmail[]> {
  const asked = due.flatMap((email) =>
    uniqueRecipients(email).map((address) => ({ companyId: email.companyId, email: address })),
  );
  const found = await findSuppressed(db, asked);
  const reasons = new Map(
    found.map(({ companyId, email, reason }) => [`${companyId} ${email}`, reason]),
  );
  return due.map((email) => {
    const { companyId, isTest } = email;
    const listed = (address: string) => reasons.get(`${companyId} ${address}`);
    return { email, ...splitSuppressed(uniqueRecipients(email), { isTest, listed }) };
  });
}

const uniqueRecipients = ({ to, cc, bcc }: DueEmail) => [...new Set([...to, ...cc, ...bcc])];
