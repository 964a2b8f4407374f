import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";

import { type DovecotSocket, linkedDovecotAdmin } from "#server/gateways/dovecot.ts";
import { openLinkedMailbox } from "#server/gateways/dovecot-imap.ts";
import { readGreeting } from "#server/gateways/greeting.ts";

import { type LinkListener, startLinkListener } from "./link-listener.ts";
import { aFreePort } from "#server/testing/a-free-port.ts";

let root: string;
let listener: LinkListener;
let sockets: Server[];
const link = { host: "127.0.0.1", port: await aFreePort(), secret: randomBytes(32) };

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "posthouse-link-"));
  await mkdir(join(root, "dovecot/run"), { recursive: true });
  sockets = [];
  listener = await startLinkListener({
    port: link.port,
    secret: link.secret,
    bind: "127.0.0.1",
    dataFolder: root,
    log: pino({ level: "silent" }),
    isExpected: () => Promise.resolve(true),
  });
});
afterEach(async () => {
  await listener.stop();
  for (const server of sockets) server.close();
  await rm(root, { recursive: true });
});

/** One of Dovecot's sockets, which replies to a connection or its first bytes. */
async function aSocket(name: DovecotSocket, reply: string): Promise<void> {
  const server = createServer((socket) => {
    if (name !== "sessions") socket.write(reply);
    else socket.once("data", () => socket.end(reply));
    if (name === "imap")
      socket.on("data", (line) => socket.write(`${line.toString().split(" ")[0]} OK done\r\n`));
    socket.on("error", () => {});
  });
  server.listen(join(root, "dovecot/run", name));
  await once(server, "listening");
  sockets.push(server);
}

test("connects hosts that know the key with Dovecot", async () => {
  await aSocket("lmtp", "220 dovecot ready\r\n");
  const answer = '[["doveadmResponse",[{"result":"ann@example.com"}],"posthouse"]]';
  await aSocket("sessions", `HTTP/1.1 200 OK\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`);
  expect(await readGreeting({ link }, 5_000)).toEqual({
    kind: "greeted",
    line: "220 dovecot ready",
  });
  expect(await linkedDovecotAdmin(link, "key").kick("ann@example.com")).toBe(1);
  await aSocket("imap", "* PREAUTH [CAPABILITY IMAP4rev1] ready\r\n");
  const mailbox = await openLinkedMailbox("ann@example.com", link, "key");
  expect(mailbox.usable).toBe(true);
  mailbox.close();
});

test("rejects hosts with another key", async () => {
  await aSocket("lmtp", "220 dovecot ready\r\n");
  const wrong = { ...link, secret: randomBytes(32) };
  expect(await readGreeting({ link: wrong }, 5_000)).toMatchObject({ kind: "silent" });
  await expect(linkedDovecotAdmin(wrong, "key").ping()).rejects.toThrow("Dovecot can't run who");
  const { host, port } = link;
  expect(await readGreeting({ host, port, tls: true }, 5_000)).toMatchObject({ kind: "silent" });
});

test("closes connections while Dovecot doesn't run", async () => {
  await expect(linkedDovecotAdmin(link, "key").ping()).rejects.toThrow("Dovecot can't run who");
});
