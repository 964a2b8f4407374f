import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { requireInstanceKey } from "#server/core/shared/secrets/require-instance-key.ts";
import { db } from "#server/db/pool.ts";
import { aFreePort } from "#server/testing/a-free-port.ts";
import { fileOf } from "#server/testing/ensure-built.ts";
import { applianceEnv } from "#server/testing/start-appliance.ts";
import { startReport } from "#server/testing/start-report.ts";
import { AS_NOBODY, isCloneOpen, type Ran, runPosthouse } from "#server/testing/run-posthouse.ts";

import { claimDataFolder } from "./claim-data-folder.ts";

/** The unprivileged user that root switches to. */
const NOBODY = 65_534;
const isRoot = process.getuid!() === 0;
const folder = mkdtempSync(join(tmpdir(), "posthouse-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Each start is a separate process, slow on a busy machine.

/** A start that fails before it starts the processes of its roles. */
async function failToStart(env: Record<string, string | undefined>): Promise<Ran> {
  return runPosthouse(["start"], {
    ...(await applianceEnv(join(folder, "data"))),
    DATABASE_URL: process.env.DATABASE_URL,
    ...env,
  });
}

/** The reason, which is printed once, after the steps that succeeded. */
function reasonIn({ code, stdout, stderr }: Ran): string {
  expect(code).toBe(1);
  const failed = `${stdout}${stderr}`.split("\n").filter((line) => /^(✗|posthouse:)/.test(line));
  expect(failed).toHaveLength(1);
  return failed[0]!;
}

test("an invalid setting", async () => {
  expect(reasonIn(await failToStart({ POSTHOUSE_ROLES: "web,cook" }))).toBe(
    'posthouse: POSTHOUSE_ROLES is "web,cook": must be a list of web, worker, mail',
  );
});

test("a data folder that can't be created", async () => {
  writeFileSync(join(folder, "file"), "");
  const reason = reasonIn(await failToStart({ POSTHOUSE_DATA: join(folder, "file/data") }));
  expect(reason).toMatch(/^✗ Data folder: POSTHOUSE_DATA: .*file\/data cannot be used \(ENOTDIR/);
});

test("a data folder that another appliance uses", async () => {
  const claim = await claimDataFolder(folder);
  const reason = reasonIn(await failToStart({ POSTHOUSE_DATA: folder }));
  expect(reason).toContain(`is in use: posthouse already runs there (pid ${process.pid} on `);
  claim.release();
});

// Another user needs a clone to start from.
test.runIf(!isRoot || isCloneOpen())(
  "a data folder that another user set up, with the file's name",
  async () => {
    const dataFolder = join(folder, "of-another");
    const file = join(dataFolder, "keys/instance.key");
    mkdirSync(join(dataFolder, "keys"), { recursive: true });
    writeFileSync(file, "");
    chmodSync(file, 0o000);
    if (isRoot)
      for (const path of [folder, dataFolder, join(dataFolder, "keys")])
        chownSync(path, NOBODY, NOBODY);
    const ran = await runPosthouse(
      ["start"],
      { ...(await applianceEnv(dataFolder)), DATABASE_URL: process.env.DATABASE_URL },
      isRoot ? AS_NOBODY : [],
    );
    expect(reasonIn(ran)).toContain(`✗ Data folder: ${file} can't be opened by this user (uid `);
  },
);

test.each(["posthouse.pid", "processes.lock", "postgres.lock"])(
  "a symbolic link at %s, with its name, and without writing to its target",
  async (name) => {
    const dataFolder = mkdtempSync(join(folder, "linked-"));
    const target = join(folder, `target of ${basename(dataFolder)}`);
    const link = join(dataFolder, name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
    const ran = await failToStart({ POSTHOUSE_DATA: dataFolder, DATABASE_URL: undefined });
    expect(reasonIn(ran)).toContain(`: ${link} is a symbolic link, which may lead out of`);
    expect(existsSync(target)).toBe(false);
  },
);

test.runIf(isRoot)(
  "a symbolic link at keys that another user created where root starts, with its name",
  async () => {
    const dataFolder = mkdtempSync(join(folder, "linked-"));
    const target = mkdtempSync(join(folder, "target-"));
    chmodSync(target, 0o755);
    const link = join(dataFolder, "keys");
    symlinkSync(target, link);
    for (const path of [dataFolder, link]) lchownSync(path, NOBODY, NOBODY);
    const ran = await failToStart({ POSTHOUSE_DATA: dataFolder });
    expect(reasonIn(ran)).toContain(`${link} is a symbolic link, which may lead out of`);
    expect(statSync(target).mode & 0o777).toBe(0o755);
    expect(readdirSync(target)).toEqual([]);
  },
);

test("a port in use, with the process that uses it and the setting", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const reason = reasonIn(await failToStart({ PORT: String(port) }));
  expect(reason).toMatch(
    new RegExp(`✗ Ports: port ${port} is in use by .+ \\(pid ${process.pid}\\)\\. .* set PORT to`),
  );
  server.close();
});

test("two settings with the same port", async () => {
  const port = String(await aFreePort());
  const env = { IMAPS_PORT: port, POP3S_PORT: port };
  expect(reasonIn(await failToStart(env))).toBe(
    `✗ Ports: POP3S_PORT and IMAPS_PORT are both ${port}`,
  );
});

test("an address that this machine doesn't have", async () => {
  expect(reasonIn(await failToStart({ POSTHOUSE_BIND: "192.0.2.1" }))).toBe(
    "✗ Ports: POSTHOUSE_BIND: this machine has no address 192.0.2.1",
  );
});

test("a database that rejects the password, which isn't printed", async () => {
  const url = new URL(process.env.DATABASE_URL!);
  url.password = "wrong-secret";
  const ran = await failToStart({ DATABASE_URL: url.href });
  expect(reasonIn(ran)).toBe(
    `✗ Postgres: DATABASE_URL: ${url.host} rejects the password of user "posthouse"`,
  );
  expect(`${ran.stdout}${ran.stderr}`).not.toContain("wrong-secret");
});

test("an unreachable database", async () => {
  const url = new URL(process.env.DATABASE_URL!);
  url.pathname = "/nowhere";
  expect(reasonIn(await failToStart({ DATABASE_URL: url.href }))).toBe(
    `✗ Postgres: DATABASE_URL: database "nowhere" does not exist at ${url.host}`,
  );
  const port = await aFreePort();
  expect(reasonIn(await failToStart({ DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/x` }))).toBe(
    `✗ Postgres: DATABASE_URL: connection refused by 127.0.0.1:${port}`,
  );
});

test("a database that was set up with another instance key", async () => {
  await requireInstanceKey(db());
  const dataFolder = join(folder, "second-host");
  const file = join(dataFolder, "keys/instance.key");
  const reason = reasonIn(await failToStart({ POSTHOUSE_DATA: dataFolder }));
  expect(reason).toContain(
    `✗ Instance key: This data folder doesn't have the instance key that the database was set up with`,
  );
  expect(reason).toContain(`${file} is missing. Copy keys/instance.key here`);
  expect(existsSync(file)).toBe(false);
});

test.each(["server/main.ts", "worker/main.ts", "mail/main.ts"])(
  "%s alone rejects another instance key too",
  async (program) => {
    await requireInstanceKey(db());
    const dataFolder = mkdtempSync(join(folder, "host-"));
    mkdirSync(join(dataFolder, "keys"));
    writeFileSync(join(dataFolder, "keys/instance.key"), randomBytes(32).toString("base64url"));
    const child = fork(fileOf(program), {
      env: { ...(await applianceEnv(dataFolder)), DATABASE_URL: process.env.DATABASE_URL },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    expect(await startReport(child)).toMatchObject({
      type: "failed",
      message: expect.stringContaining("keys/instance.key holds another key. Copy") as string,
    });
    if (child.exitCode === null) await once(child, "exit");
    expect(child.exitCode).toBe(1);
  },
);
