import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";

import { receivedEmails } from "#drizzle/schema/index.ts";
import { Message } from "#server/core/shared/mime/message.ts";
import { parseReceived } from "#server/core/mail/received/parse-received.ts";
import { receiveEmail } from "#server/core/mail/received/receive-email.ts";
import { db } from "#server/db/pool.ts";

const MESSAGE = [
  "From: Ben <ben@example.org>",
  "To: in@shop.example",
  "Subject: Photo",
  "Message-ID: <p@example.org>",
  "MIME-Version: 1.0",
  "Content-Type: multipart/mixed; boundary=b",
  "",
  "--b",
  "Content-Type: text/plain",
  "",
  "Hi",
  "--b",
  "Content-Type: text/csv",
  "Content-Disposition: attachment; filename=a.csv",
  "",
  "1,2",
  "--b--",
  "",
].join("\r\n");

/** A received and parsed email with a text and a file. @returns its id */
export async function aReceivedEmail(
  { companyId, name }: { companyId: string; name: string },
  { message = MESSAGE }: { message?: string } = {},
): Promise<string> {
  const receivedFor = [`${randomUUID()}@${name}`];
  await receiveEmail(db(), {
    key: randomUUID(),
    repeatsForMs: null,
    companyId,
    receivedFor,
    sender: "ben@example.org",
    message: new Message(Buffer.from(message)),
    isChecked: true,
  });
  const [email] = await db()
    .select({ id: receivedEmails.id })
    .from(receivedEmails)
    .where(eq(receivedEmails.receivedFor, receivedFor));
  await parseReceived(db(), email!.id);
  return email!.id;
}
