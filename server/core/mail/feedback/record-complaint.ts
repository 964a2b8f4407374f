import { and, eq, sql } from "drizzle-orm";

import { type Email, emails, suppressions } from "#drizzle/schema/index.ts";
import { parseAddress } from "#server/core/shared/addresses/parse-address.ts";
import { eventBit } from "#server/core/sending/events/event-type-bits.ts";
import { parseEnvelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import { publishComplaint } from "#server/core/sending/events/publish-complaint.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/wake-deliveries.ts";
import type { Db } from "#server/db/client.ts";

import { lockEmail } from "./internal/lock-email.ts";
import type { Complaint } from "#server/core/mail/report-parsing/read-complaint.ts";
import { storedRecipients } from "./internal/stored-recipients.ts";

/**
 * Records that a recipient reported an email as spam: counts it in the metrics, publishes it to webhooks and
 * suppresses the address. Idempotent per email and recipient, or per email if the provider doesn't say which of
 * several recipients complained.
 *
 * @param addressee id of the email, from the address the complaint was sent to; null to take it from the envelope
 *   sender in the complaint, which is signed and known only to recipients
 */
export async function recordComplaint(
  db: Db,
  addressee: string | null,
  complaint: Complaint,
): Promise<"complaint" | "nothing"> {
  const emailId = addressee ?? findEmail(complaint);
  if (emailId === null) return "nothing";
  const taken = await db.transaction(async (tx) => {
    const email = await lockEmail(tx, emailId);
    if (!email?.sentAt) return "nothing";
    const recipients = storedRecipients(email);
    const recipient =
      recipients.length === 1 ? recipients[0]! : findComplainant(recipients, complaint);
    if (await isRecorded(tx, email, recipients.length > 1 ? recipient : null)) return "nothing";
    await tx
      .update(emails)
      .set({ eventTypes: sql`${emails.eventTypes} | ${eventBit("complained")}` })
      .where(eq(emails.id, email.id));
    if (recipient !== null) await suppress(tx, email, recipient);
    await publishComplaint(tx, email, recipient);
    return "complaint";
  });
  if (taken === "complaint") wakeWebhooks(db);
  return taken;
}

function findEmail({ senders }: Complaint): string | null {
  return senders.map(parseEnvelopeSender).find((id) => id !== null) ?? null;
}

function findComplainant(recipients: string[], complaint: Complaint): string | null {
  const named = complaint.recipients.map((address) => parseAddress(address)?.address);
  return named.find((address) => address !== undefined && recipients.includes(address)) ?? null;
}

/** A complaint by one of several recipients is recorded as a suppression; any other, on the email. */
async function isRecorded(db: Db, email: Email, oneOfSeveral: string | null): Promise<boolean> {
  if (oneOfSeveral === null) return (email.eventTypes & eventBit("complained")) !== 0;
  const suppression = and(
    eq(suppressions.companyId, email.companyId),
    eq(suppressions.email, oneOfSeveral),
    eq(suppressions.origin, "complaint"),
    eq(suppressions.sourceId, email.id),
  );
  return (await db.$count(suppressions, suppression)) > 0;
}

/** Overrides the reason of an existing suppression and keeps its id. */
async function suppress(db: Db, { id, companyId }: Email, recipient: string): Promise<void> {
  const reason = { origin: "complaint" as const, sourceId: id };
  await db
    .insert(suppressions)
    .values({ companyId, email: recipient, ...reason })
    .onConflictDoUpdate({ target: [suppressions.companyId, suppressions.email], set: reason });
}
