import { v7 as uuidv7 } from "uuid";

import { emails } from "#drizzle/schema/index.ts";
import { type CountedEventType, eventBits } from "#server/core/sending/events/email-events.ts";
import { db } from "#server/db/pool.ts";

/** An email as metrics see it: when it was sent, and the event types of its history. */
export type PlacedEmail = { sentAt: string | null; createdAt?: string; types: CountedEventType[] };

/** Inserts past emails, without bodies and histories. */
export async function placedEmails(
  { companyId, id: domainId, name }: { companyId: string; id: string | null; name: string },
  placed: PlacedEmail[],
): Promise<void> {
  await db()
    .insert(emails)
    .values(
      placed.map(({ sentAt, createdAt, types }) => ({
        id: uuidv7(),
        companyId,
        domainId,
        sentAt,
        from: `post@${name}`,
        subject: "Hello",
        to: ["ann@example.org"],
        lastEvent: "sent" as const,
        createdAt: createdAt ?? sentAt ?? undefined,
        eventTypes: eventBits(types),
      })),
    );
}
