import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, createSecureContext, type TLSSocket } from "node:tls";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { type Certificate, loadSelfSigned } from "#server/core/platform/tls/certificate.ts";
import type { NamedCertificates } from "#server/core/platform/certificates/stored-certificates.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { submissionListeners } from "#server/testing/a-submission-listener.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { signIn } from "#server/testing/mail-app.ts";
import { mxListeners } from "#server/testing/an-mx-listener.ts";

const NAME = "autoconfig.example.test";

let folder: string;
let pair: Certificate;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-names-"));
  pair = await loadSelfSigned({ dataFolder: folder, hostname: NAME, now: new Date() });
});
afterAll(() => rm(folder, { recursive: true }));

const sniCallback: NamedCertificates["sniCallback"] = (name, done) =>
  done(
    null,
    name === NAME ? createSecureContext({ cert: pair.certificate, key: pair.key }) : undefined,
  );

const anMx = mxListeners();
const aSubmission = submissionListeners();

/** The names in the certificate that a client is shown which asks for `servername`. */
async function namesShown(port: number, servername: string, greetings: string[] = []) {
  const socket = connectTcp(port, "127.0.0.1");
  // The lines that the server sends before the handshake, and what to send after each.
  for (const command of greetings) {
    await once(socket, "data");
    socket.write(command);
  }
  if (greetings.length > 0) await once(socket, "data");
  const tls: TLSSocket = connectTls({ socket, servername, rejectUnauthorized: false });
  await once(tls, "secureConnect");
  const names = tls.getPeerX509Certificate()!.subjectAltName!;
  tls.destroy();
  return names;
}

const SMTP = ["EHLO client.test\r\n", "STARTTLS\r\n"];

test("SMTP presents the certificate for the name that the client asks for", async () => {
  const mx = await anMx({ sniCallback });
  const [starttls, implicit] = await Promise.all([
    aSubmission({ sniCallback, isImplicitTls: false }),
    aSubmission({ sniCallback, isImplicitTls: true }),
  ]);
  const shown = (name: string) =>
    Promise.all([
      namesShown(mx.port, name, SMTP),
      namesShown(starttls.port, name, SMTP),
      namesShown(implicit.port, name),
    ]);
  for (const names of await shown(NAME)) expect(names).toContain(NAME);
  for (const names of await shown("other.example.test")) expect(names).not.toContain(NAME);
});

test("IMAP, POP3 and Sieve present it too, without ending open sessions", async () => {
  const dovecot: TestDovecot = await aDovecot();
  const mailbox = await aMailbox(await aDomain((await aCompany()).id));
  const app = await signIn(dovecot.imap, mailbox.address);
  let isDropped = false;
  app.on("close", () => (isDropped = true));
  const shown = (name: string) =>
    Promise.all([
      namesShown(dovecot.imaps, name),
      namesShown(dovecot.imap, name, ["a STARTTLS\r\n"]),
      namesShown(dovecot.pop3s, name),
      namesShown(dovecot.pop3, name, ["STLS\r\n"]),
      namesShown(dovecot.sieve, name, ["STARTTLS\r\n"]),
    ]);
  for (const names of await shown(NAME)) expect(names).toContain("mail.example.test");

  await dovecot.running.useNamedCertificates(new Map([[NAME, pair]]));
  await vi.waitFor(async () => {
    for (const names of await shown(NAME)) expect(names).toContain(NAME);
  });
  for (const names of await shown("other.example.test"))
    expect(names).toContain("mail.example.test");
  await app.noop();
  expect(isDropped).toBe(false);
  await app.logout();

  await dovecot.running.useNamedCertificates(new Map());
  await vi.waitFor(async () => {
    for (const names of await shown(NAME)) expect(names).not.toContain(NAME);
  });
  await dovecot.stop();
});
