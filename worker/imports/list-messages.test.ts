import { afterEach, expect, test } from "vitest";

import { openImapSource } from "#server/gateways/imap-source.ts";
import { aFakeImapServer, flood } from "#server/testing/a-fake-imap-server.ts";

import { fetchContents, listMessages } from "./list-messages.ts";

const MB = 1024 * 1024;
let server: Awaited<ReturnType<typeof aFakeImapServer>>;
afterEach(() => server.stop());

/** Opens the INBOX of a server. */
async function anInbox(exists: number, fetched: Parameters<typeof aFakeImapServer>[0]) {
  server = await aFakeImapServer({
    EXAMINE: (socket, tag) =>
      socket.write(`* ${exists} EXISTS\r\n* OK [UIDVALIDITY 1] ok\r\n${tag} OK done\r\n`),
    ...fetched,
  });
  const client = await openImapSource(
    {
      host: "127.0.0.1",
      port: server.port,
      security: "none",
      account: "ann",
      secret: { kind: "password", value: "very secret" },
    },
    { resolver: undefined as never, allowPrivate: true, literalBytesMax: 2 * MB },
  );
  await client.mailboxOpen("INBOX", { readOnly: true });
  return client;
}

const message = (uid: number, bytes: number) =>
  `* ${uid} FETCH (UID ${uid} BODY[] {${bytes}}\r\n${"a".repeat(bytes)})\r\n`;

test("fetches messages up to a limit, whatever sizes the server announced", async () => {
  const client = await anInbox(3, {
    "UID FETCH": (socket, tag) =>
      socket.write([1, 2, 3].map((uid) => message(uid, MB)).join("") + `${tag} OK done\r\n`),
  });
  expect((await fetchContents(client, [1, 2, 3], 3 * MB)).size).toBe(3);
  const exceeded = fetchContents(client, [1, 2, 3], 2 * MB);
  await expect(exceeded).rejects.toMatchObject({ kind: "refused" });
  expect(client.usable).toBe(false);
});

test("ends when the server repeats a message without end", async () => {
  const client = await anInbox(1, {
    "UID FETCH": (socket) => flood(socket, message(1, 100_000)),
  });
  await expect(fetchContents(client, [1], MB)).rejects.toMatchObject({ kind: "refused" });
});

test("doesn't list a folder with too many messages", async () => {
  const client = await anInbox(500_001, {});
  await expect(listMessages(client)).rejects.toMatchObject({
    kind: "denied",
    message: "It has more than 500000 messages",
  });
});

test("lists a folder with more messages than a function can have arguments", async () => {
  const client = await anInbox(130_000, {
    FETCH: (socket, tag) => {
      const lines = Array.from({ length: 130_000 }, (_, at) => `* ${at + 1} FETCH (UID ${at + 1})`);
      socket.write(`${lines.join("\r\n")}\r\n${tag} OK done\r\n`);
    },
  });
  expect(await listMessages(client)).toHaveLength(130_000);
});
