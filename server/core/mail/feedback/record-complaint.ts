import { eq, ne, or, sql } from "drizzle-orm";

import { type Email, emails, suppressions } from "#drizzle/schema/index.ts";
import { parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import { eventBit, publishComplaint } from "#server/core/sending/events/email-events.ts";
import { parseEnvelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";

import { lockEmail, storedRecipients } from "./bounces.ts";
import type { Complaint } from "#server/core/mail/report-parsing/read-bounce.ts";

/**
 * Records that a recipient reported an email as spam: counts it in the metrics and publishes it to webhooks, once per
 * email. Suppresses the address if the email has no other recipient and the reporter is verified: each recipient knows
 * the envelope sender, and could forge a complaint from another.
 *
 * @param addressee id of the email, from the address the complaint was sent to; null to take it from the envelope
 *   sender in the complaint, which is signed and known only to recipients
 * @param options.isVerified SPF or DKIM passed for the domain in the complaint's From
 */
export async function recordComplaint(
  db: Db,
  addressee: string | null,
  complaint: Complaint,
  { isVerified }: { isVerified: boolean },
): Promise<"complaint" | "nothing"> {
  const emailId = addressee ?? findEmail(complaint);
  if (emailId === null) return "nothing";
  const taken = await db.transaction(async (tx) => {
    const email = await lockEmail(tx, emailId);
    if (!email?.sentAt) return "nothing";
    const recipients = storedRecipients(email);
    const only = recipients.length === 1 ? recipients[0]! : null;
    const isSuppressed = isVerified && only !== null && (await suppress(tx, email, only));
    if ((email.eventTypes & eventBit("complained")) !== 0)
      return isSuppressed ? "complaint" : "nothing";
    await tx
      .update(emails)
      .set({ eventTypes: sql`${emails.eventTypes} | ${eventBit("complained")}` })
      .where(eq(emails.id, email.id));
    const named = isVerified ? findComplainant(recipients, complaint) : null;
    await publishComplaint(tx, email, only ?? named);
    return "complaint";
  });
  if (taken === "complaint") wakeWebhooks(db);
  return taken;
}

const findEmail = ({ senders }: Complaint): string | null =>
  senders.map(parseEnvelopeSender).find((id) => id !== null) ?? null;

function findComplainant(recipients: string[], complaint: Complaint): string | null {
  const named = complaint.recipients.map((address) => parseRecipient(address)?.address);
  return named.find((address) => address !== undefined && recipients.includes(address)) ?? null;
}

/** Overrides the reason of an existing suppression and keeps its id. Returns false if it was recorded before. */
async function suppress(db: Db, { id, companyId }: Email, recipient: string): Promise<boolean> {
  const reason = { origin: "complaint" as const, sourceId: id };
  const changed = await db
    .insert(suppressions)
    .values({ companyId, email: recipient, ...reason })
    .onConflictDoUpdate({
      target: [suppressions.companyId, suppressions.email],
      set: reason,
      setWhere: or(
        ne(suppressions.origin, reason.origin),
        sql`${suppressions.sourceId} is distinct from ${id}`,
      ),
    })
    .returning({ id: suppressions.id });
  return changed.length > 0;
}
