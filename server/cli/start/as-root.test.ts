import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { loadSelfSigned } from "#server/core/platform/tls/certificate.ts";
import { isCloneOpen, runPosthouse } from "#server/testing/run-posthouse.ts";
import {
  type Appliance,
  applianceEnv,
  descendantsOf,
  aReadyAppliance,
} from "#server/testing/start-appliance.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 600_000 });

/** CAP_DAC_READ_SEARCH and CAP_NET_BIND_SERVICE, as in `CapEff`. */
const READ_SEARCH = 1 << 2;
const BIND = 1 << 10;

const isRoot = process.getuid!() === 0;
const folder = mkdtempSync(join(tmpdir(), "posthouse-as-root-"));
const dataFolder = join(folder, "data");
const outside = join(folder, "outside");
const tls = { cert: join(folder, "certbot/cert.pem"), key: join(folder, "certbot/key.pem") };
let appliance: Appliance;

/** A port below 1024 that nothing listens on. */
async function lowPort(first: number): Promise<number> {
  for (let port = first; port < 1024; port++) {
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
  throw new Error("All ports below 1024 are in use");
}

async function writeCertificate(name: string): Promise<void> {
  const made = mkdtempSync(join(folder, "made-"));
  const pair = await loadSelfSigned({ dataFolder: made, hostname: name, now: new Date() });
  mkdirSync(join(folder, "certbot"), { recursive: true, mode: 0o700 });
  writeFileSync(tls.key, pair.key, { mode: 0o600 });
  writeFileSync(tls.cert, pair.certificate, { mode: 0o600 });
}

/** A data folder from a version that ran everything as root. */
function makeRootsData(): void {
  mkdirSync(dataFolder, { mode: 0o755 });
  for (const name of ["keys", "tls", "mail/a.test/ann"])
    mkdirSync(join(dataFolder, name), { recursive: true, mode: 0o700 });
  writeFileSync(join(dataFolder, "keys/dovecot-api.key"), "x".repeat(43), { mode: 0o600 });
  writeFileSync(join(dataFolder, "mail/a.test/ann/dbox.index"), "", { mode: 0o600 });
  writeFileSync(outside, "", { mode: 0o600 });
  symlinkSync(outside, join(dataFolder, "keys/link"));
}

const numbers = (text: string) => text.trim().split(/\s+/).map(Number);
const serviceUid = () => Number(execFileSync("id", ["-u", "posthouse"], { encoding: "utf8" }));

async function statusOf(program: string) {
  for (const pid of await descendantsOf(appliance.process.pid!)) {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    if (!commandLine.includes(program)) continue;
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, "m").exec(status)![1]!;
    return {
      uids: numbers(field("Uid")),
      hasRootsGroups: numbers(field("Groups")).some((id) => process.getgroups!().includes(id)),
      capabilities: parseInt(field("CapPrm"), 16),
    };
  }
  throw new Error(`${program} does not run`);
}

/** The names in the certificate that a TLS port serves. */
async function namesAt(port: string): Promise<string> {
  const socket = connectTls({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { subjectaltname = "" } = socket.getPeerCertificate();
  socket.destroy();
  return subjectaltname;
}

beforeAll(async () => {
  if (!isRoot) return;
  chmodSync(folder, 0o755);
  makeRootsData();
  await writeCertificate("first.posthouse.localhost");
  appliance = await aReadyAppliance({
    ...(await applianceEnv(dataFolder)),
    PORT: String(await lowPort(200)),
    SMTP_PORT: String(await lowPort(300)),
    IMAPS_PORT: String(await lowPort(400)),
    POSTHOUSE_TLS_CERT: tls.cert,
    POSTHOUSE_TLS_KEY: tls.key,
  });
});

afterAll(async () => {
  if (isRoot) await appliance.stop();
  rmSync(folder, { recursive: true, force: true });
});

test.runIf(isRoot).each([
  ["server/main.", BIND],
  ["worker/main.", 0],
  ["mail/main.", BIND],
  ["etc/dovecot.conf", BIND],
])("%s runs as the service user, with only the capabilities it needs", async (program, own) => {
  const uid = serviceUid();
  // Processes need it where other users can't read this clone.
  const closedClone = isCloneOpen() ? 0 : READ_SEARCH;
  const dovecot = program.endsWith(".conf");
  expect(await statusOf(program)).toEqual({
    uids: [uid, uid, uid, uid],
    hasRootsGroups: false,
    capabilities: own | (dovecot ? 0 : closedClone),
  });
});

test.runIf(isRoot)("files that root created become the service user's and keep their modes", () => {
  const uid = serviceUid();
  const found = (path: string) => {
    const { uid, gid, mode } = lstatSync(join(dataFolder, path));
    return { uid, gid, mode: mode & 0o777 };
  };
  const owned = { uid, gid: found("keys").gid };
  expect(found("keys")).toEqual({ ...owned, mode: 0o700 });
  expect(found("keys/dovecot-api.key")).toEqual({ ...owned, mode: 0o600 });
  expect(found("keys/instance.key")).toEqual({ ...owned, mode: 0o600 });
  expect(found("mail/a.test/ann/dbox.index")).toEqual({ ...owned, mode: 0o600 });
  expect(found("tls/configured.key")).toEqual({ ...owned, mode: 0o600 });
  expect(lstatSync(outside).uid).toBe(0);
  // Root itself writes to these.
  for (const name of [".", "posthouse.pid"]) expect(found(name).uid).toBe(0);
});

test.runIf(isRoot)("commands run by root leave no files that the services can't read", async () => {
  const { code, stderr } = await runPosthouse(["doctor", "--json"], appliance.env);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const foreign = ["!", "-user", "posthouse", "-printf", "%P\n"];
  const folders = ["keys", "tls", "mail", "dovecot"].map((name) => join(dataFolder, name));
  expect(execFileSync("find", [...folders, ...foreign], { encoding: "utf8" })).toBe("");
});

test.runIf(isRoot)("a renewed certificate that only root can read is used", async () => {
  const { PORT, IMAPS_PORT, SUBMISSIONS_PORT } = appliance.env;
  const ports = [PORT!, IMAPS_PORT!, SUBMISSIONS_PORT!];
  for (const port of ports) expect(await namesAt(port)).toContain("first.posthouse.localhost");
  await writeCertificate("second.posthouse.localhost");
  for (const port of ports)
    await vi.waitFor(
      async () => expect(await namesAt(port)).toContain("second.posthouse.localhost"),
      { timeout: 40_000, interval: 500 },
    );
});

test.runIf(isRoot)(
  "a restart recognizes a mail store that already belongs to the service user, and stops again",
  async () => {
    expect(await appliance.stop()).toBe(0);
    // The start doesn't look below the folder, so it is quick on a large mail store.
    const foreign = join(dataFolder, "mail/a.test/ann/foreign");
    writeFileSync(foreign, "");
    chownSync(foreign, 0, 0);
    appliance = await aReadyAppliance(appliance.env);
    expect(lstatSync(foreign).uid).toBe(0);
  },
);
