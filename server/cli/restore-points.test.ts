import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { ImapFlow } from "imapflow";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { connect, type Connection } from "#server/db/client.ts";
import { clusterFolder, runningPort, urlAt } from "#server/postgres/cluster.ts";
import { signIn } from "#server/testing/mail-app.ts";
import { mailboxContent } from "#server/testing/mailbox-content.ts";
import { runPosthouse } from "#server/testing/run-posthouse.ts";
import { anSmtpSink, type SmtpSink } from "#server/testing/smtp-sink.ts";
import {
  type Appliance,
  applianceEnv,
  aReadyAppliance,
  descendantsOf,
  runningOf,
  sendBatch,
} from "#server/testing/start-appliance.ts";

// One appliance: the tests build on each other.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const COMMAND = join(import.meta.dirname, "posthouse.mjs");
const YOU = "you@posthouse.localhost";
const folder = mkdtempSync(join(tmpdir(), "posthouse-points-"));
const dataFolder = join(folder, "data");
const repository = join(folder, "repository");
let appliance: Appliance;
let sink: SmtpSink;
let recoveryKey: string;

beforeAll(async () => {
  sink = await anSmtpSink({ replyDelayMs: 20 });
  const relay = { POSTHOUSE_RELAY_URL: `smtp://127.0.0.1:${sink.port}` };
  appliance = await aReadyAppliance({ ...(await applianceEnv(dataFolder)), ...relay });
  const backup = await posthouse("backup", "--to", repository, "--json");
  ({ recoveryKey } = JSON.parse(backup) as { recoveryKey: string });
  await posthouse("settings", "set", "backup_to", repository);
  // Only when this test says so.
  await posthouse("settings", "set", "backup_changes_minutes", "60");
  await posthouse("backup");
});

afterAll(async () => {
  await appliance.stop();
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command that must succeed. Returns its output. */
async function posthouse(...args: string[]): Promise<string> {
  const done = await runPosthouse(args, { ...appliance.env, POSTHOUSE_BACKUP_KEY: recoveryKey });
  expect(done, done.stderr).toMatchObject({ code: 0 });
  return `${done.stdout}${args.includes("--json") ? "" : done.stderr}`;
}

async function withApp<T>(work: (app: ImapFlow) => Promise<T>): Promise<T> {
  const app = await signIn(Number(appliance.env.IMAPS_PORT), YOU, {
    password: appliance.secrets().password,
    secure: true,
    tls: { rejectUnauthorized: false },
  });
  try {
    return await work(app);
  } finally {
    await app.logout();
  }
}

/** Changes the mailbox, and has an email accepted. */
async function change(name: string, flags: string[]): Promise<void> {
  const message = `From: <${YOU}>\r\nTo: <${YOU}>\r\nSubject: ${name}\r\n\r\nHello.\r\n`;
  await withApp((app) => app.append("Sent", message, flags));
  expect(await send(name)).toBe(200);
}

const send = (name: string) =>
  sendBatch(appliance, [
    { from: "shop@posthouse.localhost", to: [`${name}@example.com`], subject: name, text: "Hi." },
  ]);

/** Stores a restore point. Returns a time after it and before the next one. */
async function storePoint(): Promise<string> {
  await posthouse("store-changes");
  await sleep(1_100);
  return new Date().toISOString();
}

async function query<T extends object>(work: (sql: Connection["sql"]) => Promise<T>): Promise<T> {
  const cluster = clusterFolder(dataFolder);
  const connection = connect(urlAt(cluster, (await runningPort(cluster))!), { max: 1 });
  try {
    return await work(connection.sql);
  } finally {
    await connection.close();
  }
}

const accepted = () =>
  query(async (sql) => {
    const rows = await sql<{ subject: string }[]>`
      select subject from emails where subject !~ '^Self-check' order by id`;
    return rows.map(({ subject }) => subject);
  });

async function destroy(): Promise<void> {
  const pids = await descendantsOf(appliance.process.pid!);
  appliance.process.kill("SIGKILL");
  await appliance.exited;
  await expect.poll(() => runningOf(pids), { timeout: 30_000 }).toEqual([]);
  rmSync(dataFolder, { recursive: true });
}

/** Restores into an empty data folder, and starts the appliance on it. */
async function restore(...args: string[]): Promise<void> {
  await posthouse("restore", "--from", repository, ...args);
  appliance = await aReadyAppliance(appliance.env);
}

test("restores to a time between two backups, and to the last minutes before the data was destroyed", async () => {
  await change("first", ["\\Seen", "$Important"]);
  const early = await withApp(mailboxContent);
  const between = await storePoint();
  await change("second", ["\\Flagged"]);
  // More segments of WAL than a snapshot may have.
  await query(async (sql) => {
    for (let segment = 0; segment < 20; segment++)
      await sql`select pg_logical_emit_message(true, 'test', ''), pg_switch_wal()`;
    return [];
  });
  await storePoint();
  // Made up for by the next one.
  renameSync(repository, `${repository}.away`);
  const failed = await runPosthouse(["store-changes"], appliance.env);
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no repository at this location") as string,
  });
  renameSync(`${repository}.away`, repository);
  await storePoint();
  const backup = await posthouse("backup");
  expect(backup).toMatch(/✓ Restore points: changes since 20.* replayed: .*ledger exact/);

  await change("third", []);
  const late = await withApp(mailboxContent);
  let sent = 0;
  let isUp = true;
  const load = (async () => {
    while (isUp)
      await send(`load-${sent}`).then(
        (status) => (sent += Number(status === 200)),
        () => (isUp = false),
      );
  })();
  // Killed while it stores: the next one makes up for it.
  const killed = spawn(process.execPath, [COMMAND, "store-changes"], {
    env: appliance.env,
    stdio: "ignore",
    detached: true,
  });
  const isStoring = () => existsSync(join(dataFolder, "backup/wal"));
  await expect.poll(isStoring, { timeout: 60_000, interval: 20 }).toBe(true);
  process.kill(-killed.pid!, "SIGKILL");
  await expect.poll(() => sent, { timeout: 60_000 }).toBeGreaterThan(10);
  const before = sent;
  await posthouse("store-changes");
  await destroy();
  await load;

  const listed = await posthouse("restore", "--list", "--from", repository);
  expect(listed.trim().split("\n")).toEqual([
    expect.stringMatching(/^id +time \(UTC\) +restore points until/),
    expect.stringMatching(/ {2}20[-0-9: ]+$/),
    ...[0, 1].map(() => expect.stringMatching(/ {2}20[-0-9: ]+ {2}20[-0-9: ]+$/) as string),
  ]);
  await restore("--at", between);
  expect(await accepted()).toEqual(["first"]);
  expect(await withApp(mailboxContent)).toMatchObject({ Sent: early.Sent! });
  await destroy();
  await restore();
  expect(await accepted()).toEqual(
    expect.arrayContaining(["first", "second", "third", ...names(before)]),
  );
  expect(await withApp(mailboxContent)).toMatchObject({ Sent: late.Sent! });
  // Whatever the receiver has was accepted, and whatever was accepted reaches it.
  const received = () => sink.messages.flatMap(({ recipients }) => recipients);
  await expect
    .poll(received, { timeout: 60_000 })
    .toEqual(expect.arrayContaining((await accepted()).map((each) => `${each}@example.com`)));
  await posthouse("ledger");
});

const names = (count: number) => Array.from({ length: count }, (_, i) => `load-${i}`);
