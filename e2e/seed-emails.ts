import { emailAttachments, emails, outbox } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aSuppression } from "#server/testing/factories.ts";

import { addEvents, seedEmailWithHistory } from "./seed.ts";

type Sender = { companyId: string; domain: string };

/** Like `seedEmailWithHistory`, plus an attachment, a recipient due for a retry and a suppressed one. */
export async function seedEmailWithProblems(sender: Sender): Promise<string> {
  const id = await seedEmailWithHistory(sender);
  await db()
    .insert(outbox)
    .values({
      emailId: id,
      recipient: "carla@example.org",
      destination: "example.org",
      attempt: 2,
      nextAttemptAt: new Date(Date.now() + 13 * 60_000).toISOString(),
    });
  await db()
    .insert(emailAttachments)
    .values({
      emailId: id,
      position: 0,
      filename: "receipt-48213.pdf",
      contentType: "application/pdf",
      content: Buffer.from("%PDF-1.4 receipt"),
    });
  await aSuppression(sender.companyId, {
    email: "orders@warehouse.example",
    origin: "bounce",
    sourceId: id,
  });
  return id;
}

/** An email that failed days ago and whose content has been deleted. */
export async function seedFailedEmail(sender: Sender): Promise<string> {
  const id = `01900000-0000-7000-a000-${sender.companyId.slice(-12)}`;
  await db()
    .insert(emails)
    .values({
      id,
      companyId: sender.companyId,
      from: `hello@${sender.domain}`,
      subject: "Weekly report",
      to: ["gus@example.net"],
      lastEvent: "failed",
      createdAt: new Date(Date.now() - 5 * 86_400_000).toISOString(),
    });
  await addEvents(sender.companyId, id, [
    { type: "sent" },
    { type: "failed", recipient: "gus@example.net", reason: "The sending domain was deleted" },
  ]);
  return id;
}
