import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";

import { expect, test } from "vitest";

import { domainFindings } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { loadSelfSigned } from "#server/core/platform/tls/certificate.ts";
import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import {
  plain,
  aMailboxSender,
  SUBMISSION_HOSTNAME,
  submissionListeners,
} from "#server/testing/a-submission-listener.ts";
import { smtpDialog } from "#server/testing/smtp-dialog.ts";

const aListener = submissionListeners();
const TESTDATA = join(import.meta.dirname, "testdata");
const dialogs = readdirSync(TESTDATA).filter((name) => name.endsWith(".dialog"));
const base64 = (text: string) => Buffer.from(text).toString("base64");

async function values(): Promise<Record<string, string>> {
  const { domain, ...somebody } = await aMailboxSender();
  await db().insert(domainFindings).values({
    domainId: domain.id,
    record: "mx",
    isVerified: true,
    checkedAt: new Date().toISOString(),
  });
  return {
    ...somebody,
    hostname: SUBMISSION_HOSTNAME,
    domain: domain.name,
    plain: plain(somebody.address),
    wrong: plain(somebody.address, "wrong"),
    nobody: plain(`nobody@${domain.name}`),
    wrongKey: plain("posthouse", "re_wrong"),
    user64: base64(somebody.address.toUpperCase()),
    password64: base64("test password"),
    long: "x".repeat(101),
    long500: "x".repeat(500),
    longLine: "x".repeat(9000),
  };
}

test.each(dialogs)("%s", async (name) => {
  const { port } = await aListener();
  await smtpDialog(port, readFileSync(join(TESTDATA, name), "utf8"), await values());
});

/** A mailbox user's app, up to RCPT TO. */
const signedIn = (sender: string, rest: string) =>
  `TLS\nS: 220\nC: EHLO laptop.test\nS: 250\nC: AUTH PLAIN {plain}\nS: 235\nC: MAIL FROM:<${sender}>\nS: 250\n${rest}`;

test("the submissions port has implicit TLS and no STARTTLS", async () => {
  const { port } = await aListener({ isImplicitTls: true });
  await smtpDialog(
    port,
    "TLS\nS: 220\nC: EHLO laptop.test\nS: 250\nS+ 250-AUTH PLAIN LOGIN\nS- 250-STARTTLS\nC: AUTH PLAIN {plain}\nS: 235",
    await values(),
  );
});

test("the TLS port sends nothing in clear", async () => {
  const { port } = await aListener({ isImplicitTls: true });
  const socket = createConnection(port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  socket.write("EHLO laptop.test\r\n");
  await once(socket, "close");
  expect(received).not.toContain("220");
});

test("limits a message to 100 recipients", async () => {
  const { port } = await aListener({ isImplicitTls: true });
  const recipients = Array.from(
    { length: 100 },
    (_, i) => `C: RCPT TO:<r${i}@elsewhere.test>\nS: 250`,
  );
  await smtpDialog(
    port,
    signedIn(
      "{address}",
      [...recipients, "C: RCPT TO:<more@elsewhere.test>", "S: 452 4.5.3"].join("\n"),
    ),
    await values(),
  );
});

test("rejects a message over the announced size and accepts the next one", async () => {
  const { port } = await aListener({ isImplicitTls: true });
  const line = `${"x".repeat(8000)}\\r\\n`;
  const rcpt = "C: RCPT TO:<bob@elsewhere.test>\nS: 250\nC: DATA\nS: 354\n";
  await smtpDialog(
    port,
    signedIn(
      "{address}",
      `${rcpt}C\\ From: {address}\\r\\n\\r\\n${line.repeat(4_600)}.\\r\\nS: 552 5.3.4`.replace(
        "S: 552",
        "\nS: 552",
      ) +
        `\nC: MAIL FROM:<{address}>\nS: 250\n${rcpt}C: From: {address}\nC: \nC: small\nC: .\nS: 250 2.0.0`,
    ),
    await values(),
  );
});

test("a database outage is a temporary error", async () => {
  const away = connect("postgres://nobody@127.0.0.1:1/none");
  const { port } = await aListener({ db: away.db, isImplicitTls: true });
  await smtpDialog(
    port,
    "TLS\nS: 220\nC: EHLO laptop.test\nS: 250\nC: AUTH PLAIN {plain}\nS: 451 4.3.0",
    { plain: plain("ann@here.test") },
  );
  await away.close();
});

test("limits connections per network", async () => {
  const { port } = await aListener({ limits: { connectionsPerNetworkMax: 1 } });
  const first = createConnection(port, "127.0.0.1");
  await once(first, "data");
  await smtpDialog(port, "S: 421 4.7.0\nEND");
  first.destroy();
});

test("closes a connection at the end of its lifetime, signed in or not", async () => {
  const { port } = await aListener({ limits: { lifeMs: 1_500 }, isImplicitTls: true });
  await smtpDialog(port, signedIn("{address}", "END"), await values());
});

test.each([false, true])(
  "uses a new certificate from the next handshake",
  async (isImplicitTls) => {
    const listener = await aListener({ isImplicitTls });
    const before = await fingerprint(listener.port, isImplicitTls);
    listener.useCertificate(
      await loadSelfSigned({
        dataFolder: config().dataFolder,
        hostname: "other.here.test",
        now: new Date(),
      }),
    );
    expect(await fingerprint(listener.port, isImplicitTls)).not.toBe(before);
  },
);

async function fingerprint(port: number, isImplicitTls: boolean): Promise<string> {
  const socket = createConnection(port, "127.0.0.1");
  if (!isImplicitTls) {
    await once(socket, "data");
    for (const command of ["EHLO there.test", "STARTTLS"]) {
      socket.write(`${command}\r\n`);
      await once(socket, "data");
    }
  }
  const secure = connectTls({ socket, rejectUnauthorized: false });
  await once(secure, "secureConnect");
  const { fingerprint256 } = secure.getPeerCertificate();
  secure.destroy();
  return fingerprint256;
}
