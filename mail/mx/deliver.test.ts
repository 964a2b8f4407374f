import { randomUUID } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, expect, test } from "vitest";

import { MailboxStore } from "#mail/lmtp/mailbox-store.ts";
import type { Db } from "#server/db/client.ts";
import { Message } from "#server/core/shared/mime/message.ts";

import {
  deliverToMailboxes,
  type DeliveryOutcome,
  fingerprintOf,
  loopDetector,
  type MailboxRecipient,
  rejectUnlessAccepted,
} from "./deliver.ts";
import type { DeliveryRecipient } from "./mx-context.ts";
import { SmtpReply } from "./smtp-reply.ts";

let server: Server | undefined;
afterEach(() => server?.close());

/** An LMTP server that accepts everything and then sends these replies, one per recipient. */
async function anLmtp(replies: string[]): Promise<string> {
  const path = join(tmpdir(), `lmtp-${randomUUID()}`);
  const talk = (socket: Socket) => {
    let isData = false;
    socket.write("220 lmtp\r\n");
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      for (const line of bytes.toString().split("\r\n").slice(0, -1)) {
        if (isData && line === ".") socket.write(replies.map((reply) => `${reply}\r\n`).join(""));
        isData = line === "DATA" || (isData && line !== ".");
        if (line.startsWith("LHLO")) socket.write("250-x\r\n250 PIPELINING\r\n");
        else if (line === "DATA") socket.write("354 go\r\n");
        else if (/^(MAIL|RCPT|QUIT)/.test(line) && !isData) socket.write("250 ok\r\n");
      }
    });
  };
  server = createServer(talk);
  await new Promise<void>((resolve) => server!.listen(path, resolve));
  return path;
}

const recipient = (name: string): MailboxRecipient => ({
  kind: "mailbox",
  companyId: randomUUID(),
  roomBytes: Infinity,
  storeHost: null,
  isCatchAll: false,
  address: `${name}@here.test`,
  mailbox: `${name}@here.test`,
});

test.each([
  ["250 2.0.0 saved", "accepted", undefined],
  ["452 4.2.2 Mailbox is full", "deferred", "4.2.2 The mailbox is full"],
  [
    "552 5.2.2 <a@here.test> Quota exceeded in /secret/folder",
    "deferred",
    "4.2.2 The mailbox is full",
  ],
  [
    "451 4.2.0 Execution of Sieve filters was aborted",
    "deferred",
    "4.3.0 Mailboxes are temporarily unavailable, try again later",
  ],
  [
    "550 5.1.1 <a@here.test> User doesn't exist: a@here.test",
    "rejected",
    "5.1.1 No such recipient here",
  ],
  ["554 5.6.0 /secret/folder is bad", "rejected", "5.0.0 The mailbox rejected the message"],
])("translates Dovecot's replies into our own: %s", async (reply, status, message) => {
  const path = await anLmtp([reply, "250 2.0.0 saved"]);
  const store = new MailboxStore({ hostname: "mail.here.test" });
  const outcomes = await deliverToMailboxes(
    { db: null as unknown as Db, store, lmtpPlace: () => ({ path }) },
    [recipient("ann"), recipient("bob"), recipient("ann")],
    { sender: "x@there.test", content: Buffer.from("Subject: x\r\n\r\nx\r\n") },
  );
  expect(outcomes).toHaveLength(2);
  expect(outcomes[0]).toMatchObject({ status, ...(message ? { reply: { message } } : {}) });
  expect(outcomes[1]).toMatchObject({
    status: "accepted",
    recipient: { mailbox: "bob@here.test" },
  });
  await store.close();
});

const someone: DeliveryRecipient = {
  kind: "owners",
  address: "abuse@here.test",
  companyId: null,
};
const taken: DeliveryOutcome = { recipient: someone, status: "accepted" };
const loop: DeliveryOutcome = { recipient: someone, status: "loop" };
const later: DeliveryOutcome = {
  recipient: someone,
  status: "deferred",
  reply: new SmtpReply(452, "4.2.2", "full"),
};
const refused: DeliveryOutcome = {
  recipient: someone,
  status: "rejected",
  reply: new SmtpReply(550, "5.1.1", "gone"),
};

test.each<[string, DeliveryOutcome[], number | null]>([
  ["a recipient has it", [refused, later, loop, taken], null],
  ["a retry may help one recipient", [refused, later, loop], 452],
  ["no retry helps", [loop, refused], 550],
  ["all have received it before", [loop, loop], 554],
  ["there are no recipients", [], null],
])("the reply to DATA when %s", (_, outcomes, code) => {
  const answer = () => rejectUnlessAccepted(outcomes);
  if (code === null) expect(answer).not.toThrow();
  else expect(answer).toThrow(expect.objectContaining({ responseCode: code }));
});

test.each([
  [["Message-ID: <1@there.test>"], true],
  [["DATE: Fri, 27 Nov 2026 03:00:00 +0000"], true],
  [["Subject: Motion detected"], false],
  [["Message-ID:", "Date: "], false],
])("a message with %s is recognized in another transaction: %s", (fields, isSame) => {
  const text = ["From: cam@there.test", ...fields, "", "Date: today", ""].join("\r\n");
  const [first, second] = ["a.1", "b.1"].map((id) =>
    fingerprintOf(new Message(Buffer.from(text)), { id, sender: "cam@there.test" }),
  );
  expect(first === second).toBe(isSame);
});

const ann = {
  kind: "mailbox",
  address: "sales@corp.test",
  mailbox: "ann@corp.test",
  companyId: "c",
  roomBytes: Infinity,
  storeHost: null,
  isCatchAll: false,
} as Parameters<ReturnType<typeof loopDetector>>[0];

const message = (value: string) =>
  new Message(Buffer.from(`Delivered-To: ${value}\r\nSubject: Round\r\n\r\nRound\r\n`));

test.each(["ann@corp.test", "Ann@Corp.TEST", "<ANN@corp.test>", "Sales@corp.test"])(
  "a message that was delivered to %s has been in the mailbox",
  (value) => {
    expect(loopDetector(message(value))(ann)).toBe(true);
  },
);

test("a message that was delivered elsewhere has not been in the mailbox", () => {
  expect(loopDetector(message("bob@corp.test"))(ann)).toBe(false);
});
