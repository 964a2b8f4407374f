import { eq, sql } from "drizzle-orm";

import { emailEvents, emails, outbox } from "#drizzle/schema/index.ts";
import { eventBits } from "#server/core/sending/events/email-events.ts";
import { db } from "#server/db/pool.ts";

import { aQueuedEmail, type Sender } from "./queued-emails.ts";

/** An email that every recipient's server has accepted. */
export async function aDeliveredEmail(sender: Sender, ...to: string[]): Promise<string> {
  const id = await aQueuedEmail(sender, ...to);
  await db().delete(outbox).where(eq(outbox.emailId, id));
  await db()
    .insert(emailEvents)
    .values(
      to.map((recipient) => ({
        emailId: id,
        companyId: sender.companyId,
        type: "delivered" as const,
        recipient,
      })),
    );
  await db()
    .update(emails)
    .set({ lastEvent: "delivered", eventTypes: sql`${eventBits(["sent", "delivered"])}::int` })
    .where(eq(emails.id, id));
  return id;
}
