import type { Email } from "#drizzle/schema/index.ts";
import { createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { publishEvent } from "#server/core/webhooks/events/publish-event.ts";

/**
 * Publishes `email.complained` to the company's webhooks, in the transaction that records the complaint.
 * Complaints aren't in the email's history, so the payload is built here.
 *
 * @param recipient who complained; null if the provider didn't say
 */
export async function publishComplaint(
  db: Db,
  email: Email,
  recipient: string | null,
): Promise<void> {
  const { id, companyId, from, subject, tags, messageId, isTest } = email;
  const ctx = createContext(db, companyId, { kind: "system", task: "take_complaint" });
  await publishEvent({ ...ctx, isTest }, "email.complained", {
    created_at: new Date(email.createdAt).toISOString(),
    email_id: id,
    from,
    to: recipient === null ? [] : [recipient],
    subject,
    tags: Object.fromEntries(tags.map(({ name, value }) => [name, value])),
    ...(messageId !== null && { message_id: messageId }),
  });
}
