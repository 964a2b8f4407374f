import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { emailBodies, emailEvents, emails, outbox } from "#drizzle/schema/index.ts";
import { PRIORITIES, wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import type { Db } from "#server/db/client.ts";

export type BenchEmail = { from: string; to: string; subject: string; html: string; text: string };

const BODY_BYTES = 4096;
const CHUNK = 500;

/** Emails of about 4 KB, no two alike. */
export function benchEmails(count: number, { from, to }: { from: string; to: string }) {
  return Array.from({ length: count }, (_, i): BenchEmail => {
    const line = `<p>Order ${i}: thank you, your parcel is on its way to you.</p>\n`;
    const text = `Order ${i}: thank you, your parcel is on its way to you.\n`.repeat(10);
    const html = line.repeat(Math.ceil((BODY_BYTES - text.length) / line.length));
    return { from, to: `r${i}@${to}`, subject: `Your order ${i}`, html, text };
  });
}

type BenchSender = { id: string; name: string; companyId: string };

/** Inserts emails in the state after sending through the API: accepted, with history and outbox rows. Returns their ids. */
export async function acceptEmails(
  db: Db,
  sender: BenchSender,
  made: BenchEmail[],
  priority = PRIORITIES.single,
): Promise<string[]> {
  const ids: string[] = [];
  await db.transaction(async (tx) => {
    for (let at = 0; at < made.length; at += CHUNK)
      ids.push(...(await acceptChunk(tx, { ...sender, priority }, made.slice(at, at + CHUNK))));
  });
  wakePump(db);
  return ids;
}

async function acceptChunk(
  tx: Db,
  sender: BenchSender & { priority: number },
  chunk: BenchEmail[],
): Promise<string[]> {
  const { id: domainId, companyId, priority } = sender;
  const rows = chunk.map((email) => ({ ...email, id: uuidv7() }));
  await tx.insert(emails).values(
    rows.map(({ id, from, to, subject }) => ({
      id,
      companyId,
      domainId,
      from,
      subject,
      to: [to],
      messageId: `<${id}@${sender.name}>`,
      lastEvent: "sent" as const,
      sentAt: sql`clock_timestamp()`,
    })),
  );
  await tx.insert(emailBodies).values(
    rows.map(({ id, from, to, html, text }) => ({
      emailId: id,
      html,
      text,
      addressHeaders: {
        from: { name: "", address: from },
        to: [{ name: "", address: to }],
        cc: [],
        replyTo: [],
      },
    })),
  );
  await tx
    .insert(emailEvents)
    .values(rows.map(({ id }) => ({ emailId: id, companyId, type: "sent" as const })));
  await tx.insert(outbox).values(
    rows.map(({ id, to }) => ({
      emailId: id,
      companyId,
      priority,
      recipient: to,
      destination: to.split("@")[1]!,
    })),
  );
  return rows.map(({ id }) => id);
}
