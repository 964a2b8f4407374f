import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";

import { serviceUser } from "#server/processes/service-user.ts";
import { aFreePort } from "#server/testing/a-free-port.ts";
import { aSystemctl, type Systemctl } from "#server/testing/a-systemctl.ts";
import { ensureBuilt } from "#server/testing/ensure-built.ts";
import { aDnsServer, type FakeDns } from "#server/testing/fake-dns.ts";
import { type Ran, runPosthouse } from "#server/testing/run-posthouse.ts";
import { applianceEnv } from "#server/testing/start-appliance.ts";
import { testIf } from "#server/testing/test-if.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

const HOST = "mail.appliance.example";
const isRoot = process.getuid!() === 0;
const testAsRoot = testIf(isRoot, "needs root");
const PORTS = /^(PORT|\w+_PORT)$/;

type Place = { root: string; settings: string[]; env: Record<string, string | undefined> };

let dns: FakeDns | undefined;
const roots: string[] = [];

beforeAll(async () => {
  if (!isRoot) return;
  await ensureBuilt();
  dns = await aDnsServer({ [HOST]: { A: ["192.0.2.7"] } });
});
afterEach(async () => {
  for (const root of roots.splice(0)) {
    await runPosthouse(["uninstall", "--delete-data", "--yes", "--root", root], cleanEnv(root));
    rmSync(root, { recursive: true });
  }
});
afterAll(() => dns?.close());

/** An empty machine: only the folders of an installation are its own. */
async function aMachine(): Promise<Place> {
  const root = mkdtempSync(join(tmpdir(), "posthouse-install-"));
  chmodSync(root, 0o755);
  roots.push(root);
  // Users stay: other tests run as the service user.
  mkdirSync(join(root, "fake"));
  for (const program of ["userdel", "groupdel"])
    symlinkSync("/bin/true", join(root, "fake", program));
  const all = await applianceEnv(join(root, "unused"));
  const ports = Object.entries(all).filter(([name]) => PORTS.test(name));
  const wanted = {
    ...Object.fromEntries(ports),
    POSTHOUSE_BIND: "127.0.0.1",
    POSTHOUSE_DNS: `127.0.0.1:${dns!.port}`,
    POSTHOUSE_OUTBOUND_PORT: "1",
    HTTP_PORT: String(await aFreePort()),
    POSTHOUSE_ACME: "off",
  };
  const settings = Object.entries(wanted).flatMap(([name, value]) => ["--set", `${name}=${value}`]);
  return { root, settings, env: cleanEnv(root) };
}

/** Without the settings of the tests themselves. */
function cleanEnv(root: string): Record<string, string | undefined> {
  const env: Record<string, string | undefined> = { FAKE_SYSTEMD_ROOT: root };
  for (const name of Object.keys(process.env))
    if (/^(POSTHOUSE_|DATABASE_URL$)/.test(name) || PORTS.test(name)) env[name] = undefined;
  const systemctl = join(root, "fake");
  return { ...env, PATH: `${systemctl}:${process.env.PATH ?? ""}` };
}

const install = ({ root, settings, env }: Place, ...more: string[]): Promise<Ran> =>
  runPosthouse(["install", "--root", root, ...settings, ...more], env);

/** Why an installation failed: the steps, and what the appliance printed as it started. */
function shownBy({ stdout, stderr }: Ran, { root }: Place): string {
  const log = join(root, "var/lib/posthouse/logs/posthouse.log");
  return `${stdout}${stderr}${existsSync(log) ? readFileSync(log, "utf8") : ""}`;
}

/** Runs the `posthouse` command of the installation. */
const run = async ({ root, env }: Place, ...args: string[]): Promise<string> => {
  const file = join(root, "usr/local/bin/posthouse");
  const { stdout } = await promisify(execFile)(file, args, {
    // A folder that the service user can't enter.
    cwd: "/root",
    env: { ...process.env, NODE_NO_WARNINGS: "1", ...env },
  });
  return stdout;
};

testAsRoot("installs a service that runs as its own user, twice with the same result", async () => {
  const machine = await aMachine();
  const { root } = machine;
  const systemctl: Systemctl = aSystemctl(root);

  const first = await install(machine, "--hostname", HOST, "--json");
  expect(first.code, shownBy(first, machine)).toBe(0);
  const told = JSON.parse(first.stdout) as Record<string, unknown>;
  expect(told).toMatchObject({
    hostname: HOST,
    url: `https://${HOST}`,
    set_up_url: expect.stringMatching(
      /^https:\/\/mail\.appliance\.example\/console\/set-up#\S{20}/,
    ) as string,
    missing_records: expect.arrayContaining([
      expect.objectContaining({ type: "TXT", name: HOST }),
    ]) as unknown,
  });
  expect(systemctl.calls()).toEqual([
    "is-active --quiet dovecot.service",
    "disable --quiet dovecot.service dovecot.socket",
    "daemon-reload",
    "enable --quiet posthouse.service",
    "reset-failed posthouse.service",
    "restart posthouse.service",
  ]);
  const { uid } = await serviceUser();
  const pid = systemctl.pid()!;
  expect(statSync(`/proc/${pid}`).uid).toBe(uid);
  expect(statSync(join(root, "var/lib/posthouse")).mode & 0o777).toBe(0o700);
  expect(statSync(join(root, "etc/posthouse/posthouse.env")).mode & 0o777).toBe(0o640);

  // Of a program that was in another folder.
  const calendar = join(root, "etc/systemd/system/posthouse-calendar.service");
  writeFileSync(calendar, "ExecStart=/old/docker/calendar/start.sh\n");
  const again = await install(machine);
  expect(again.code, shownBy(again, machine)).toBe(0);
  expect(again.stdout).toContain(`Ports: in use by Posthouse itself (pid ${pid}`);
  expect(again.stdout).toContain(told.set_up_url as string);
  expect(systemctl.pid()).not.toBe(pid);
  const [, start] = /^ExecStart=(.*)$/m.exec(readFileSync(calendar, "utf8"))!;
  expect(existsSync(start!)).toBe(true);
  const units = readdirSync(join(root, "etc/systemd/system"));
  expect(units.toSorted()).toEqual(["posthouse-calendar.service", "posthouse.service"]);

  // The command finds the service's settings and database, and leaves no file of root behind.
  expect(await run(machine, "settings", "list")).toContain("request_rate_per_second");
  const data = join(root, "var/lib/posthouse");
  const ofOthers = readdirSync(data, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.uid === 0);
  expect(ofOthers).toEqual([]);

  const removed = await runPosthouse(["uninstall", "--root", root], machine.env);
  expect(removed.code, removed.stderr).toBe(0);
  expect(systemctl.pid()).toBe(null);
  expect(systemctl.log()).toContain("Stopped after");
  expect(existsSync(join(root, "usr/local/bin/posthouse"))).toBe(false);
  expect(readdirSync(join(root, "etc/systemd/system"))).toEqual([]);
  expect(existsSync(join(data, "keys/instance.key"))).toBe(true);
});

testAsRoot("where systemd doesn't run, starts Posthouse in the background", async () => {
  const machine = await aMachine();
  // What `npm link` leaves.
  const linked = join(machine.root, "posthouse.mjs");
  writeFileSync(linked, "");
  mkdirSync(join(machine.root, "usr/local/bin"), { recursive: true });
  symlinkSync(linked, join(machine.root, "usr/local/bin/posthouse"));
  const installed = await install(machine, "--hostname", HOST);
  expect(installed.code, shownBy(installed, machine)).toBe(0);
  expect(readFileSync(linked, "utf8")).toBe("");
  expect(installed.stdout).toContain("started in the background");
  expect(installed.stdout).toContain("DNS records to publish for this server:");
  expect(existsSync(join(machine.root, "etc/systemd/system/posthouse.service"))).toBe(false);
  expect(await run(machine, "ledger", "--json")).toContain("accepted");
  const logs = join(machine.root, "var/lib/posthouse/logs");
  expect(statSync(logs).uid).toBe((await serviceUser()).uid);
  expect(statSync(join(logs, "posthouse.log")).uid).toBe((await serviceUser()).uid);

  // Settings that don't work are undone.
  const broken = [
    "--set",
    "POSTHOUSE_TLS_CERT=/etc/passwd",
    "--set",
    "POSTHOUSE_TLS_KEY=/etc/passwd",
  ];
  const failed = await install(machine, ...broken);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain("✗ Posthouse: it ended while it started");
  expect(failed.stdout).toContain("✓ Return to the previous version: ready");
  expect(await run(machine, "ledger", "--json")).toContain("accepted");
  expect(readFileSync(join(machine.root, "etc/posthouse/posthouse.env"), "utf8")).not.toContain(
    "/etc/passwd",
  );
});

testAsRoot("a port in use stops the installation before anything is written", async () => {
  const machine = await aMachine();
  const port = Number(
    machine.settings.find((each) => each.startsWith("SMTP_PORT="))!.split("=")[1],
  );
  const other = createServer().listen(port, "127.0.0.1");
  await once(other, "listening");
  const { code, stdout } = await install(machine, "--hostname", HOST);
  other.close();
  expect(code).toBe(1);
  expect(stdout).toContain(`port ${port} is in use by`);
  expect(existsSync(join(machine.root, "etc/posthouse"))).toBe(false);
});

testAsRoot(
  "without a terminal the hostname must be an option, and must be a hostname",
  async () => {
    const machine = await aMachine();
    const missing = await install(machine);
    expect(missing.stderr).toBe(
      "posthouse: Pass the mail hostname: posthouse install --hostname mail.example.com\n",
    );
    const wrong = await install(machine, "--hostname", "mail");
    expect(wrong.stderr).toContain('POSTHOUSE_HOSTNAME is "mail"');
    expect([missing.code, wrong.code]).toEqual([1, 1]);
  },
);
