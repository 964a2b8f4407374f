import { randomUUID } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, expect, test } from "vitest";

import { MailboxStore } from "#mail/lmtp/mailbox-store.ts";

import { deliverToMailboxes, type MailboxRecipient } from "./deliver-to-mailboxes.ts";

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
  ...{
    kind: "mailbox",
    companyId: randomUUID(),
    isFull: false,
    storeHost: null,
    isCatchAll: false,
  },
  ...{ address: `${name}@here.test`, mailbox: `${name}@here.test` },
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
    { store, lmtpPlace: () => ({ path }) },
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
