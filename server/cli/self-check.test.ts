import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";

import { domains } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import {
  hold,
  holdRestored,
  release,
  releaseRestored,
} from "#server/core/operations/queue/holds.ts";
import { ensureSandbox } from "#server/core/operations/sandbox/sandbox.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { deliver } from "#server/testing/deliver.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";
import { queuedEmails } from "#server/testing/queued-emails.ts";

import { findObstacle, readOverImap, type SelfCheck } from "./self-check.ts";

const HOSTNAME = "mail.example.test";
const SUBJECT = "Self-check of today";

let folder: string;
let dovecot: TestDovecot;
let address: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "posthouse-authority-"));
  chmodSync(folder, 0o755);
  issueCertificate("shown");
  issueCertificate("other");
  const dataFolder = join(folder, "data");
  mkdirSync(join(dataFolder, "tls"), { recursive: true });
  // Replaces the self-signed certificate that the test's Dovecot serves.
  writeFileSync(join(dataFolder, "tls/self-signed.pem"), read("shown.key") + read("shown.pem"));
  dovecot = await aDovecot({ givenFolder: dataFolder });
  const domain = await aDomain((await aCompany()).id);
  address = (await aMailbox(domain)).address;
  await deliver(dovecot.lmtpSocket, address, `Subject: ${SUBJECT}\r\n\r\nHello`);
}, 60_000);

afterAll(async () => {
  await dovecot.stop();
  rmSync(folder, { recursive: true });
});

const read = (name: string) => readFileSync(join(folder, name), "utf8");

const openssl = (...args: string[]) =>
  execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });

/** Issues a server certificate from an internal CA: `NAME.pem` without the CA, and `NAME.key`. */
function issueCertificate(name: string): void {
  const key = ["-newkey", "rsa:2048", "-nodes"];
  openssl("req", "-x509", ...key, "-subj", "/CN=Our CA", "-keyout", "ca.key", "-out", "ca.pem");
  const keyout = ["-keyout", `${name}.key`, "-out", "request"];
  openssl("req", ...key, "-subj", `/CN=${HOSTNAME}`, ...keyout);
  writeFileSync(join(folder, "names"), `subjectAltName=DNS:${HOSTNAME}`);
  const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
  openssl("x509", "-req", "-in", "request", ...by, "-days", "90", "-out", `${name}.pem`);
}

/** Reads the message with this certificate as POSTHOUSE_TLS_CERT and POSTHOUSE_TLS_KEY. */
function readWith(name: string): Promise<Buffer> {
  const tls = { certFile: join(folder, `${name}.pem`), keyFile: join(folder, `${name}.key`) };
  return readOverImap({
    db: db(),
    config: {
      ...config(),
      bind: "127.0.0.1",
      hostname: HOSTNAME,
      tls,
      ports: { ...config().ports, imaps: dovecot.imaps },
    },
    sandbox: { mailbox: { address, password: "test password" } } as SelfCheck["sandbox"],
    apiUrl: "",
    subject: SUBJECT,
    signal: AbortSignal.timeout(60_000),
  });
}

test("accepts a configured certificate of an internal CA", async () => {
  expect((await readWith("shown")).toString()).toContain(SUBJECT);
});

test("rejects any certificate but the configured one", async () => {
  await expect(readWith("other")).rejects.toThrow(
    /certificate.*: see `posthouse logs --process mail`/,
  );
});

const operator = { db: db(), now: () => new Date(), email: "op@example.test" };

test("finds no obstacle on a new appliance", async () => {
  const sandbox = await ensureSandbox(db(), { canSignIn: true });
  expect(await findObstacle(db(), sandbox)).toBeNull();
});

test("names the hold of a restore", async () => {
  const sandbox = await ensureSandbox(db(), { canSignIn: true });
  const [domain] = await db().select().from(domains).where(eq(domains.name, sandbox.domain));
  await queuedEmails(domain!, [["ann@there.test"]]);
  await holdRestored(db(), new Date().toISOString());
  expect(await findObstacle(db(), sandbox)).toContain("on hold");
  await releaseRestored(db());
  expect(await findObstacle(db(), sandbox)).toBeNull();
});

test("names a hold of the sandbox's domain as a destination", async () => {
  const sandbox = await ensureSandbox(db(), { canSignIn: true });
  const subject = { kind: "destination" as const, subject: sandbox.domain };
  await hold(operator, { ...subject, reason: "" });
  expect(await findObstacle(db(), sandbox)).toContain("on hold");
  await release(operator, subject);
});
