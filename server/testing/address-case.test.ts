import { eq } from "drizzle-orm";
import { createTransport } from "nodemailer";
import { expect, test, vi } from "vitest";

import { messageRecipients, messages, outbox } from "#drizzle/schema/index.ts";
import { emailsApi } from "#server/resources/emails/api.ts";
import { db } from "#server/db/pool.ts";

import { aMailboxSender, submissionListeners } from "./a-submission-listener.ts";
import { anApiSender } from "./api-sender.ts";
import { call } from "./call.ts";
import { messagePumps } from "./message-pump.ts";
import { outsideMail } from "./outside-mail.ts";
import { historyOf } from "./queued-emails.ts";

const { aSink, aCarrier } = outsideMail();
const { start } = messagePumps();
const aListener = submissionListeners();

test("other servers see the local part as the API client wrote it; the API returns lowercase", async () => {
  const { key, email } = await anApiSender();
  const sink = await aSink();
  const body = {
    ...email,
    to: "Bob <Bob.Lee@There.test>",
    bcc: ["Eve@There.test", "x@there.test"],
  };
  const { id } = (await call(emailsApi.send, { key, body })).body as { id: string };
  await start({ carrier: await aCarrier(sink) });
  await vi.waitFor(async () => expect(await db().$count(outbox, eq(outbox.emailId, id))).toBe(0), {
    timeout: 30_000,
  });

  const [message] = sink.messages;
  expect(message!.recipients.toSorted()).toEqual([
    "Bob.Lee@there.test",
    "Eve@there.test",
    "x@there.test",
  ]);
  expect(message!.raw.toString()).toContain("To: Bob <Bob.Lee@there.test>\r\n");
  expect((await historyOf(id)).toSorted()).toEqual([
    "delivered bob.lee@there.test",
    "delivered eve@there.test",
    "delivered x@there.test",
    "sent",
  ]);
  const shown = await call(emailsApi.get, { key, params: { id } });
  expect(shown.body).toMatchObject({ to: ["bob.lee@there.test"], last_event: "delivered" });
});

test("a mailbox user's sender and recipients stay as written", async () => {
  const ann = await aMailboxSender();
  const { port } = await aListener({ isImplicitTls: true });
  const app = createTransport({
    host: "127.0.0.1",
    port,
    secure: true,
    auth: { user: ann.address, pass: "test password" },
    tls: { rejectUnauthorized: false },
  });
  const to = "Bob.Lee@Elsewhere.test";
  const written = ann.address.replace(/^./, (letter) => letter.toUpperCase());
  const envelope = { from: written, to };
  await app.sendMail({ from: ann.address, to, subject: "Hi", text: "Hello", envelope });
  const rows = await db()
    .select({ recipient: messageRecipients.recipient, sender: messages.sender })
    .from(messageRecipients)
    .innerJoin(messages, eq(messages.id, messageRecipients.messageId))
    .where(eq(messageRecipients.destination, "elsewhere.test"));
  expect(rows).toEqual([{ recipient: "Bob.Lee@elsewhere.test", sender: written }]);
});
