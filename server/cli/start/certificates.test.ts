import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";

import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { findDatabase } from "#server/cli/running-appliance.ts";
import { connect } from "#server/db/client.ts";
import { type AcmeServer, anAcmeServer } from "#server/testing/acme-server.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { type Appliance, applianceEnv, aReadyAppliance } from "#server/testing/start-appliance.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 600_000 });

const HOSTNAME = "mail.example.test";
const folder = mkdtempSync(join(tmpdir(), "posthouse-certificates-"));
const published = join(folder, "published");
const dataFolder = join(folder, "data");

let acme: AcmeServer;
let dns: FakeDns;
let appliance: Appliance;

/** A hook that writes each call to a file. */
function aHook(): string {
  const file = join(folder, "hook.sh");
  writeFileSync(file, `#!/bin/sh\necho "$@" >> ${published}\n`, { mode: 0o755 });
  writeFileSync(published, "");
  chmodSync(published, 0o666);
  return file;
}

const calls = () => readFileSync(published, "utf8").trim().split("\n");

beforeAll(async () => {
  // For services that don't run as root.
  chmodSync(folder, 0o755);
  acme = await anAcmeServer();
  acme.txt = {
    set: () => new Map(),
    get: (name) =>
      calls().flatMap((line) =>
        line.startsWith(`present ${name} `) ? [line.split(" ").at(-1)!] : [],
      ),
  };
  dns = await aDnsServer({ [HOSTNAME]: { A: ["127.0.0.1"] } });
  appliance = await aReadyAppliance({
    ...(await applianceEnv(dataFolder)),
    POSTHOUSE_HOSTNAME: HOSTNAME,
    POSTHOUSE_BIND: "127.0.0.1",
    POSTHOUSE_ROLES: "worker,mail",
    POSTHOUSE_DNS: `127.0.0.1:${dns.port}`,
    POSTHOUSE_ACME: acme.directoryUrl,
    POSTHOUSE_ACME_DNS_HOOK: aHook(),
  });
});

afterAll(async () => {
  await appliance.stop();
  await Promise.all([acme.close(), dns.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** The serial number of the certificate on a port, which must be trusted and valid for the hostname. */
async function serialAt(name: string, commands: string[] = []): Promise<string> {
  const socket = connectTcp(Number(appliance.env[name]), "127.0.0.1");
  for (const command of commands) {
    await once(socket, "data");
    socket.write(command);
  }
  if (commands.length > 0) await once(socket, "data");
  const tls = connectTls({ socket, servername: HOSTNAME, ca: acme.root });
  await once(tls, "secureConnect");
  const { serialNumber } = tls.getPeerX509Certificate()!;
  tls.destroy();
  return serialNumber;
}

const STARTTLS = ["EHLO client.test\r\n", "STARTTLS\r\n"];
const everySerial = async () =>
  new Set(
    await Promise.all([
      ...["IMAPS_PORT", "POP3S_PORT", "SUBMISSIONS_PORT"].map((name) => serialAt(name)),
      ...["SMTP_PORT", "SUBMISSION_PORT"].map((name) => serialAt(name, STARTTLS)),
      serialAt("SIEVE_PORT", ["STARTTLS\r\n"]),
    ]),
  );

test("a new server automatically gets a trusted certificate, and all listeners use it and its renewal", async () => {
  const [first] = await vi.waitFor(
    async () => {
      const serials = await everySerial();
      expect(serials.size).toBe(1);
      return serials;
    },
    { timeout: 60_000 },
  );
  expect(calls().map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
    `present _acme-challenge.${HOSTNAME}`,
    `cleanup _acme-challenge.${HOSTNAME}`,
  ]);

  const database = connect((await findDatabase(dataFolder))!, { max: 1 });
  await database.db.execute(sql`update certificates set next_attempt_at = clock_timestamp()`);
  await database.close();
  await vi.waitFor(
    async () => {
      const serials = await everySerial();
      expect(serials.size).toBe(1);
      expect(serials).not.toContain(first);
    },
    { timeout: 60_000 },
  );
});
