import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";

import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { aliases, mailboxUsage } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { envelopeSender } from "#server/core/sending/outbox/envelope-sender.ts";
import { loadSelfSigned } from "#server/core/platform/tls/certificate.ts";
import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { MX_HOSTNAME, mxListeners } from "#server/testing/an-mx-listener.ts";
import { aDeliveredEmail } from "#server/testing/delivered-emails.ts";
import { aCompany, aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";
import { aDsn } from "#server/testing/feedback.ts";
import { aQueuedEmail, aSender, historyOf } from "#server/testing/queued-emails.ts";
import { aDmarcXml, messageWithFile } from "#server/testing/reports.ts";
import { smtpDialog } from "#server/testing/smtp-dialog.ts";

const anMxListener = mxListeners();
const TESTDATA = join(import.meta.dirname, "testdata");
const report = messageWithFile(aDmarcXml({ domain: "elsewhere.test" })).toString();
const dialogs = readdirSync(TESTDATA).filter((name) => name.endsWith(".dialog"));

async function values(): Promise<Record<string, string>> {
  const domain = await aDomain((await aCompany()).id);
  const { address: mailbox } = await aMailbox(domain, { address: `kim@${domain.name}` });
  const bounce = envelopeSender(randomUUID(), MX_HOSTNAME);
  const at = (host: string) => bounce.replace(MX_HOSTNAME, host);
  return {
    hostname: MX_HOSTNAME,
    domain: domain.name,
    mailbox,
    bounce,
    local: "kim",
    bounceAtDomain: at(domain.name),
    foreignBounce: at("elsewhere.test"),
    forgedBounce: `bounce+${"0".repeat(48)}@${MX_HOSTNAME}`,
    foreignForged: `bounce+${"0".repeat(48)}@elsewhere.test`,
    long: "x".repeat(3000),
    longTag: "x".repeat(61),
    longLine: "x".repeat(9000),
    longSender: `${"x".repeat(150)}@there.test`,
    received: "Received: from there.test\\r\\n".repeat(51),
    manyFields: "a: b\\r\\n".repeat(5_001),
    largeHeader: `a: ${"x".repeat(900)}\\r\\n`.repeat(300),
    longField: `To: a\\r\\n${` ${"a;".repeat(450)}\\r\\n`.repeat(75)}`,
    longFrom: "a;".repeat(1_100),
    blankFolds: `To: a\\r\\n${" \\r\\n".repeat(101)}`,
    ...(await recipients(domain)),
    ...otherScripts(mailbox),
  };
}

/** UTF-8 as Latin-1, because the dialog writes byte by byte. */
const utf8 = (text: string) => Buffer.from(text).toString("latin1");

function otherScripts(mailbox: string): Record<string, string> {
  return {
    ideographicDot: utf8(mailbox.replace(".", "\u3002")),
    foreignDot: utf8("bob@elsewhere\u3002test"),
    fullWidth: utf8(mailbox.replace("@", "\uff20")),
    kelvin: utf8(mailbox.replace("kim", "\u212aim")),
    aLabels: mailbox.toUpperCase(),
  };
}

async function recipients(
  domain: Awaited<ReturnType<typeof aDomain>>,
): Promise<Record<string, string>> {
  const { address: mailbox } = await aMailbox(domain);
  const alias = await anAlias(domain, mailbox);
  const inactiveAlias = await anAlias(domain, mailbox);
  await db().update(aliases).set({ active: false }).where(eq(aliases.address, inactiveAlias));
  const full = await aMailbox(domain, { quotaMb: 1 });
  await db()
    .insert(mailboxUsage)
    .values({ address: full.address, usedBytes: 1024 * 1024 });
  const suspendedAt = new Date().toISOString();
  const otherDomain = await aDomain((await aCompany({ suspendedAt })).id);
  const unproven = await aDomain(domain.companyId, { ownershipProvenAt: null });
  return {
    mailboxUpper: mailbox.toUpperCase(),
    tagged: mailbox.replace("@", "+News@"),
    alias,
    aliasTagged: alias.replace("@", "+a+b@"),
    inactiveAlias,
    full: full.address,
    aliasOfFull: await anAlias(domain, full.address),
    group: (await aGroup(domain, { members: [mailbox] })).address,
    inactiveGroup: (await aGroup(domain, { active: false })).address,
    suspended: (await aMailbox(domain, { suspendedAt })).address,
    ofSuspendedCompany: (await aMailbox(otherDomain)).address,
    unproven: unproven.name,
    unprovenMailbox: (await aMailbox(unproven)).address,
  };
}

test.each(dialogs)("%s", async (name) => {
  const { port } = await anMxListener();
  await smtpDialog(port, readFileSync(join(TESTDATA, name), "utf8"), await values());
});

const BAD_ENDS = [
  "\\n.\\n",
  "\\n.\\r",
  "\\r.\\n",
  "\\r.\\r",
  "\\n.\\r\\n",
  "\\r.\\r\\n",
  "\\r\\n\\0.\\r\\n",
  "\\r\\n.\\r\\r\\n",
  "\\r\\r\\n.\\r\\r\\n",
  "\\r\\n.\\n",
  "\\r\\n.\\r",
];

test.each(BAD_ENDS)("%s does not end a message, and the message is rejected", async (end) => {
  const { port } = await anMxListener();
  const start = ["S: 220", "C: EHLO there.test", "S: 250"];
  const transaction = [
    "C: MAIL FROM:<>",
    "S: 250",
    `C: RCPT TO:<reports@${MX_HOSTNAME}>`,
    "S: 250",
    "C: DATA",
    "S: 354",
  ];
  const smuggled = `MAIL FROM:<evil@there.test>\\r\\nRCPT TO:<reports@${MX_HOSTNAME}>\\r\\nDATA\\r\\nSubject: two\\r\\n\\r\\n`;
  const octetsOf = (text: string) => text.match(/\\.|[^\\]/g)!;
  const before = octetsOf("Subject: one\\r\\n\\r\\ntext");
  const after = before.length + octetsOf(end).length;
  const whole = [...before, ...octetsOf(`${end}${smuggled}\\r\\n.\\r\\n`)];
  // In one piece, and split at every octet of the false and the true end.
  const cuts = [...whole.keys()].filter(
    (at) => (at >= before.length && at <= after) || at > whole.length - 6,
  );
  const pieces = [0, ...cuts].map((at) =>
    [whole.slice(0, at), whole.slice(at)].filter(({ length }) => length > 0),
  );
  const message = (parts: string[][]) => [
    ...transaction,
    ...parts.map((part) => `C\\ ${part.join("")}`),
    // One reply to all of it, then the reply to NOOP.
    "S: 550 5.6",
    "C: NOOP",
    "S: 250 OK",
  ];
  await smtpDialog(port, [...start, ...pieces.flatMap(message)].join("\n"));
});

test("rejects a message over the announced size and accepts the next one", async () => {
  const { port } = await anMxListener();
  const line = `${"x".repeat(998)}\\r\\n`;
  await smtpDialog(
    port,
    [
      "S: 220",
      "C: EHLO there.test",
      "S: 250",
      "C: MAIL FROM:<>",
      "S: 250",
      `C: RCPT TO:<reports@${MX_HOSTNAME}>`,
      "S: 250",
      "C: DATA",
      "S: 354",
      `C\\ ${line.repeat(36_701)}.\\r\\n`,
      "S: 552",
      "C: MAIL FROM:<>",
      "S: 250",
      `C: RCPT TO:<reports@${MX_HOSTNAME}>`,
      "S: 250",
      "C: DATA",
      "S: 354",
      "C: .",
      "S: 250 2.0.0",
    ].join("\n"),
  );
});

const dialogOf = (recipient: string, message: string) => [
  "S: 220",
  "C: EHLO there.test",
  "S: 250",
  "C: MAIL FROM:<>",
  "S: 250",
  `C: RCPT TO:<${recipient}>`,
  "S: 250",
  "C: DATA",
  "S: 354",
  ...message.split("\r\n").map((line) => `C: ${line}`),
  "C: .",
];

test("replies 250 to a bounce once it is recorded, and defers one that comes too early", async () => {
  const { port } = await anMxListener();
  const sender = await aSender();
  const message = aDsn([{ recipient: "ann@there.test" }]).toString();
  const delivered = await aDeliveredEmail(sender, "ann@there.test");
  const queued = await aQueuedEmail(sender, "ann@there.test");
  const send = (id: string, reply: string) =>
    smtpDialog(
      port,
      [...dialogOf(envelopeSender(id, `bounces.${sender.name}`), message), `S: ${reply}`].join(
        "\n",
      ),
    );

  await send(delivered, "250 2.0.0");
  expect((await historyOf(delivered)).at(-1)).toBe("bounced ann@there.test");
  await send(queued, "451 4.3.0");
  expect(await historyOf(queued)).toEqual(["sent"]);
});

test("defers mail while the database is unreachable", async () => {
  const away = connect("postgres://nobody@127.0.0.1:1/none");
  const { port } = await anMxListener({ db: away.db });
  await smtpDialog(
    port,
    [
      "S: 220",
      "C: EHLO there.test",
      "S: 250",
      "C: MAIL FROM:<>",
      "S: 250",
      "C: RCPT TO:<ann@elsewhere.test>",
      "S: 451 4.3.0",
      `C: RCPT TO:<reports@${MX_HOSTNAME}>`,
      "S: 250",
      "C: DATA",
      "S: 354",
      ...report.split("\r\n").map((line) => `C: ${line}`),
      "C: .",
      "S: 451 4.3.0",
    ].join("\n"),
  );
  await away.close();
});

test("limits connections per network, and frees them again", async () => {
  const { port } = await anMxListener({
    limits: { slots: { perNetworkMax: 1 }, networkOf: () => "it" },
  });
  const first = createConnection(port, "127.0.0.1");
  await once(first, "data");
  await smtpDialog(port, "S: 421 4.7.0\nEND");
  first.destroy();
  await expect
    .poll(() =>
      smtpDialog(port, "S: 220").then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
});

test("limits messages per network and minute", async () => {
  const { port } = await anMxListener({
    limits: { messagesPerMinuteMax: 1, networkOf: () => "it" },
  });
  const mail = "C: MAIL FROM:<ann@there.test>";
  await smtpDialog(
    port,
    [
      "S: 220",
      "C: HELO x",
      "S: 250",
      mail,
      "S: 250",
      "C: RSET",
      "S: 250",
      mail,
      "S: 450 4.7.1",
    ].join("\n"),
  );
});

test("delays replies to address guessing more each time, and blocks a network that continues", async () => {
  const { port } = await anMxListener({ limits: { tarpitStepMs: 10, networkOf: () => "it" } });
  const guessing = readFileSync(join(TESTDATA, "guessing.dialog"), "utf8");
  const startedAt = performance.now();
  for (let round = 0; round < 4; round++)
    await smtpDialog(port, guessing, { hostname: MX_HOSTNAME });
  // Ten steps, at most fifty milliseconds each: 0, 10, 20, 30, 40, 50, 50, …
  expect(performance.now() - startedAt).toBeGreaterThan(4 * 400);
  await smtpDialog(port, guessing.split("\n").slice(0, 19).join("\n"), { hostname: MX_HOSTNAME });
  await smtpDialog(port, "S: 421 4.7.0\nEND");
});

test("closes a connection at the end of its lifetime, even if it is busy", async () => {
  const { port } = await anMxListener({
    limits: { life: { lifetimeMs: 1_000, bytesPerSecondMin: 1_000_000 } },
  });
  await smtpDialog(port, "S: 220\nC: EHLO there.test\nS: 250\nEND");
});

test("uses a new certificate from the next STARTTLS", async () => {
  const listener = await anMxListener();
  const before = await fingerprint(listener.port);
  listener.useCertificate(
    await loadSelfSigned({
      dataFolder: config().dataFolder,
      hostname: "other.here.test",
      now: new Date(),
    }),
  );
  expect(await fingerprint(listener.port)).not.toBe(before);
});

async function fingerprint(port: number): Promise<string> {
  const socket = createConnection(port, "127.0.0.1");
  await once(socket, "data");
  for (const command of ["EHLO there.test", "STARTTLS"]) {
    socket.write(`${command}\r\n`);
    await once(socket, "data");
  }
  const secure = connectTls({ socket, rejectUnauthorized: false });
  await once(secure, "secureConnect");
  const { fingerprint256 } = secure.getPeerCertificate();
  secure.destroy();
  return fingerprint256;
}
