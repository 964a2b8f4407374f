import { createConnection, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";

import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { encodeFolder, FOLDER_OCTETS_MAX, RESERVED_FOLDER } from "#server/gateways/dovecot-imap.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { imapDialog } from "#server/testing/imap-dialog.ts";
import { signIn } from "#server/testing/mail-app.ts";

let dovecot: TestDovecot;
let domain: Awaited<ReturnType<typeof aDomain>>;
let mailbox: string;
beforeAll(async () => {
  dovecot = await aDovecot();
  domain = await aDomain((await aCompany()).id);
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  mailbox = (await aMailbox(domain)).address;
});

/** Dovecot treats this address as a remote client. */
const stranger = (port: number) =>
  createConnection({ port, host: "127.0.0.1", localAddress: "127.0.0.2" });

/** Sends `lines` at once and returns everything the server sends until it closes. */
function everything(socket: Socket, ...lines: string[]): Promise<string> {
  socket.write(lines.map((line) => `${line}\r\n`).join(""));
  return text(socket);
}

test("IMAP offers the extensions that mail apps use", async () => {
  const app = await signIn(dovecot.imap, mailbox);
  expect([...app.capabilities.keys()]).toEqual(
    expect.arrayContaining([
      "IMAP4rev1",
      "IDLE",
      "MOVE",
      "CONDSTORE",
      "QRESYNC",
      "QUOTA",
      "SPECIAL-USE",
      "UIDPLUS",
      "SORT",
      "THREAD=REFERENCES",
      "ENABLE",
      "ID",
      "NAMESPACE",
      "LITERAL+",
      "ESEARCH",
    ]),
  );
  const folders = (await app.list()).map(({ path, specialUse }) => [path, specialUse]);
  expect(Object.fromEntries(folders)).toMatchObject({
    Drafts: "\\Drafts",
    Sent: "\\Sent",
    Junk: "\\Junk",
    Trash: "\\Trash",
  });
  await app.mailboxCreate("Archive");
  expect((await app.list()).find(({ path }) => path === "Archive")?.specialUse).toBe("\\Archive");
  await app.logout();
});

test("POP3 numbers messages permanently and supports TOP", async () => {
  await deliver(dovecot.lmtpSocket, mailbox);
  const look = () =>
    everything(
      createConnection(dovecot.pop3, "127.0.0.1"),
      `USER ${mailbox}`,
      "PASS test password",
      "CAPA",
      "UIDL",
      "TOP 1 0",
      "QUIT",
    );
  const seen = await look();
  expect(seen).toContain("\r\nTOP\r\n");
  expect(seen).toMatch(/^Subject: Hello\r$/m);
  expect(seen).not.toContain("Hello there.");
  const id = /^1 \w{16}\r$/m.exec(seen)![0];
  await deliver(dovecot.lmtpSocket, mailbox);
  expect(await look()).toContain(`\r\n${id}\n`);
});

test("ManageSieve offers TLS and lists the allowed Sieve extensions", async () => {
  const offered = await everything(createConnection(dovecot.sieve, "127.0.0.1"), "LOGOUT");
  expect(offered).toContain('"STARTTLS"');
  expect(offered).toMatch(/^"SIEVE" ".*\bvacation\b/m);
  expect(offered).not.toMatch(/^"NOTIFY" "[^"]/m);
});

test("remote clients cannot sign in without TLS", async () => {
  const plain = Buffer.from(`\0${mailbox}\0test password`).toString("base64");
  const imap = await everything(
    stranger(dovecot.imap),
    `a LOGIN ${mailbox} "test password"`,
    `b AUTHENTICATE PLAIN ${plain}`,
    "c LOGOUT",
  );
  expect(imap).toContain("LOGINDISABLED");
  expect(imap).toMatch(/^a NO \[PRIVACYREQUIRED\]/m);
  expect(imap).toMatch(/^b NO \[PRIVACYREQUIRED\]/m);
  const pop3 = await everything(
    stranger(dovecot.pop3),
    `USER ${mailbox}`,
    "PASS test password",
    `AUTH PLAIN ${plain}`,
    "QUIT",
  );
  expect(pop3).not.toContain("Logged in");
  expect(pop3).toMatch(/-ERR \[AUTH\] (Plain|Clear)text/i);
  const sieve = await everything(stranger(dovecot.sieve), "LOGOUT");
  expect(sieve).toMatch(/^"SASL" ""\r$/m);
});

/** Returns the server's reply to `end` under TLS, after `injected` was sent in clear right behind STARTTLS. */
async function underTls(port: number, start: string, injected: string, end: string) {
  const socket = stranger(port);
  let before = "";
  await new Promise<void>((resolve, reject) => {
    socket.on("data", (chunk: Buffer) => {
      before += chunk.toString();
      if (/Begin TLS/.test(before)) resolve();
    });
    socket.once("close", () => reject(new Error(`closed after ${before}`)));
    socket.write(`${start}\r\n${injected}`);
  });
  socket.removeAllListeners("data");
  const secure = connectTls({ socket, rejectUnauthorized: false });
  return everything(secure, end).catch(() => "closed");
}

test.each([
  ["imap", "a STARTTLS", "b LOGIN x y", "c LOGOUT", /^c OK/m],
  ["pop3", "STLS", "USER x", "QUIT", /^\+OK Logging out/m],
  ["sieve", "STARTTLS", 'AUTHENTICATE "PLAIN" "AHgAeQ=="', "LOGOUT", /^OK "Logout/m],
] as const)(
  "commands injected in clear behind STARTTLS are not executed under TLS (%s)",
  async (door, start, injected, end, ended) => {
    expect(await underTls(dovecot[door], start, "", end)).toMatch(ended);
    expect(await underTls(dovecot[door], start, `${injected}\r\n`, end)).toMatch(/^(closed)?$/);
  },
);

test("an oversized literal is cut off before it is stored, also before sign-in", async () => {
  for (const bomb of ["a LOGIN {4294967296}", "a LOGIN {999999999+}", `a ${"x".repeat(200_000)}`]) {
    const answer = await everything(
      connectTls({ port: dovecot.imaps, host: "127.0.0.1", rejectUnauthorized: false }) as Socket,
      bomb,
      ...Array.from({ length: 12 }, (_, i) => `b${i} NOOP`),
      "c LOGOUT",
    ).catch(() => "");
    expect(answer).not.toMatch(/^\+/m);
  }
  const app = await signIn(dovecot.imap, mailbox);
  await app.logout();
});

test("folder names can't escape the mailbox or break it", async () => {
  const names = [
    "../x",
    "..",
    "../../../etc/passwd",
    "a/../../b",
    "/etc/passwd",
    "~root",
    "a//b",
    "a/",
    "%",
    "a*b",
    "&AAA-",
    "&",
    "\u{1f600}",
    "x".repeat(5_000),
    "INBOX/../x",
    "dbox-Mails",
    "sdbox",
    "mailboxes",
    ".dovecot.sieve",
    "dovecot.index",
    "a/".repeat(100),
  ];
  const quoted = (name: string) => `"${Buffer.from(name).toString("latin1")}"`;
  const commands = names.map((name) => `CREATE ${quoted(name)}`);
  const answers = await imapDialog(dovecot.imaps, [
    `LOGIN "${mailbox}" "test password"`,
    ...commands,
    "CREATE INBOX/child",
    "SELECT INBOX",
  ]);
  const created = names.filter((_, i) => answers[i + 1]!.startsWith("t OK"));
  expect(created.filter((name) => name.includes("..") || name.startsWith("/"))).toEqual([]);
  expect(answers.at(-2)).toMatch(/^t OK/);
  expect(answers.at(-1)).toMatch(/^t OK/);
  const other = (await aMailbox(domain)).address;
  const app = await signIn(dovecot.imap, other);
  expect((await app.list()).map(({ path }) => path).sort()).toEqual([
    "Drafts",
    "INBOX",
    "Junk",
    "Sent",
    "Trash",
  ]);
  await app.logout();
});

test("Dovecot counts the octets of each level of an encoded folder name", async () => {
  const app = await signIn(dovecot.imap, mailbox);
  for (const letter of ["a", "&", "ü", "ж", "文", "😀"]) {
    const fitting = Array.from({ length: 256 }, (_, count) => letter.repeat(count)).findLast(
      (name) => encodeFolder(name).length <= FOLDER_OCTETS_MAX,
    )!;
    await app.mailboxCreate(fitting);
    await app.mailboxCreate([fitting.slice(0, 40), fitting]);
    await expect(app.mailboxCreate(fitting + letter)).rejects.toThrow();
    await expect(app.mailboxCreate(["x", fitting + letter])).rejects.toThrow();
  }
  await expect(app.mailboxCreate(["x", RESERVED_FOLDER])).rejects.toThrow();
  await app.logout();
});

test("a mailbox user has at most 50 connections from one IP address", async () => {
  const apps = await Promise.all(Array.from({ length: 50 }, () => signIn(dovecot.imap, mailbox)));
  await expect(signIn(dovecot.imap, mailbox)).rejects.toThrow();
  for (const app of apps) app.close();
});

test("an app in IDLE is notified of new mail", async () => {
  const app = await signIn(dovecot.imap, mailbox);
  await app.mailboxOpen("INBOX");
  const heard = vi.fn();
  app.on("exists", heard);
  const idling = app.idle();
  await deliver(dovecot.lmtpSocket, mailbox);
  await vi.waitFor(() => expect(heard).toHaveBeenCalledTimes(1));
  app.close();
  await idling.catch(() => {});
});
