import type { Email } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { publishEvent } from "#server/core/webhooks/events/publish-event.ts";

/**
 * Records for the company's webhooks that an email drew a complaint, in the transaction that notes it.
 * A complaint is no entry of the email's history, so it has a payload of its own making.
 *
 * @param recipient who complained; null when the provider did not say
 */
export async function publishComplaint(
  db: Db,
  email: Email,
  recipient: string | null,
): Promise<void> {
  const { id, companyId, from, subject, tags, messageId } = email;
  const ctx = {
    ...{ db, companyId, now: () => new Date() },
    actor: { kind: "system" as const, task: "take_complaint" },
  };
  await publishEvent(ctx, "email.complained", {
    created_at: new Date(email.createdAt).toISOString(),
    email_id: id,
    from,
    to: recipient === null ? [] : [recipient],
    subject,
    tags: Object.fromEntries(tags.map(({ name, value }) => [name, value])),
    ...(messageId !== null && { message_id: messageId }),
  });
}
