import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ImapFlow } from "imapflow";
import { Resend } from "resend";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { runPosthouse } from "#server/testing/run-posthouse.ts";
import { anSmtpSink, type SmtpSink } from "#server/testing/smtp-sink.ts";
import {
  type Appliance,
  applianceEnv,
  aReadyAppliance,
  descendantsOf,
  runningOf,
  sendBatch,
  startAppliance,
} from "#server/testing/start-appliance.ts";

// The whole appliance, started by its command, and how it stops and starts again: the tests build on each other. The
// waits take seconds on an idle machine and a minute on a busy one.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 600_000 });

const folder = mkdtempSync(join(tmpdir(), "posthouse-appliance-"));
const dataFolder = join(folder, "data");
let appliance: Appliance;
let sink: SmtpSink;

beforeAll(async () => {
  sink = await anSmtpSink({ replyDelayMs: 60 });
  const relay = { POSTHOUSE_RELAY_URL: `smtp://127.0.0.1:${sink.port}` };
  appliance = await aReadyAppliance({ ...(await applianceEnv(dataFolder)), ...relay });
});

afterAll(async () => {
  await appliance.stop();
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
});

const baseUrl = () => `http://127.0.0.1:${appliance.env.PORT!}`;
const command = (...args: string[]) => runPosthouse(args, appliance.env);

async function inboxSubjects(): Promise<string[]> {
  const client = new ImapFlow({
    host: "127.0.0.1",
    port: Number(appliance.env.IMAPS_PORT),
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user: "you@posthouse.localhost", pass: appliance.secrets().password },
    logger: false,
  });
  await client.connect();
  try {
    await client.mailboxOpen("INBOX");
    const messages = await client.fetchAll("1:*", { envelope: true });
    return messages.map(({ envelope }) => envelope?.subject ?? "");
  } finally {
    await client.logout();
  }
}

async function partPid(program: string): Promise<number> {
  for (const pid of await descendantsOf(appliance.process.pid!))
    if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(program)) return pid;
  throw new Error(`${program} does not run`);
}

test("the first start runs the self-check and prints how to continue", () => {
  const steps = appliance.output().split("\n");
  for (const step of [
    "Send an email through the REST API",
    "Wait for email.delivered",
    "Read it over IMAP",
    "Verify its DKIM signature",
  ])
    expect(steps.filter((line) => line.startsWith(`✓ ${step}`))).toHaveLength(1);
  expect(appliance.output()).toContain(`http://localhost:${appliance.env.PORT!}/console`);
  expect(appliance.output()).toContain(`password ${appliance.secrets().password}`);
  expect(appliance.output()).toContain(`-H 'Authorization: Bearer ${appliance.secrets().apiKey}'`);
  expect(appliance.output()).not.toMatch(/^✗/m);
  expect(postgresLog()).not.toContain("ERROR:");
});

test("an email sent with a client library arrives in the mailbox and is in the ledger", async () => {
  const resend = new Resend(appliance.secrets().apiKey, { baseUrl: baseUrl() });
  const { data, error } = await resend.emails.send({
    from: "Shop <shop@posthouse.localhost>",
    to: "you@posthouse.localhost",
    subject: "Your order",
    text: "Thank you.",
  });
  expect(error).toBeNull();
  expect(data?.id).toMatch(/^[0-9a-f-]{36}$/);
  await vi.waitFor(async () => expect(await inboxSubjects()).toContain("Your order"), {
    timeout: 30_000,
    interval: 200,
  });
  await vi.waitFor(
    async () => {
      const { code, stdout } = await command("ledger", "--json");
      expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
        code: 0,
        accepted: 2,
        delivered: 2,
        unaccounted: 0,
      });
    },
    { timeout: 30_000 },
  );
});

test("the doctor finds every process running and sends an email", async () => {
  const { stdout, stderr } = await command("doctor", "--json");
  const findings = JSON.parse(stdout) as { part: string; state: string }[];
  const well = findings.filter(({ state }) => state === "ok").map(({ part }) => part);
  expect(well).toEqual(
    expect.arrayContaining([
      "Postgres",
      "web",
      "worker",
      "SMTP",
      "IMAP",
      "LMTP",
      "disk",
      "certificate",
      "self-check",
    ]),
  );
  expect(stderr).toContain("✓ Verify its DKIM signature");
});

test("a second start on the same data folder fails", async () => {
  const { code, stdout } = await command("start");
  expect(code).toBe(1);
  expect(stdout).toContain(`already runs there (pid ${appliance.process.pid!} on `);
});

test("a killed process is restarted and reported", async () => {
  const killed = await partPid("server/main.");
  process.kill(killed, "SIGKILL");
  await appliance.says("✗ web ended (signal SIGKILL)");
  await appliance.says("✓ web is running again");
  expect((await fetch(`${baseUrl()}/readyz`)).status).toBe(200);
  expect(await partPid("server/main.")).not.toBe(killed);
});

test("Postgres, when killed, restarts on the same port", async () => {
  process.kill(await partPid("/postgres"), "SIGKILL");
  await appliance.says("✓ postgres is running again");
  await vi.waitFor(async () => expect((await fetch(`${baseUrl()}/readyz`)).status).toBe(200), {
    timeout: 30_000,
    interval: 200,
  });
});

/** Submits batches of 100 emails to outside addresses named after `run`. */
async function sendEmails(run: string, batches: number): Promise<void> {
  for (let batch = 0; batch < batches; batch++) {
    const emails = Array.from({ length: 100 }, (_, i) => ({
      from: "shop@posthouse.localhost",
      to: `${run}-${batch}-${i}@example.com`,
      subject: "Your order",
      text: "Thank you.",
    }));
    expect(await sendBatch(appliance, emails)).toBe(200);
  }
}

const received = (run: string) =>
  sink.messages.flatMap(({ recipients }) => recipients.filter((each) => each.startsWith(run)));

const postgresLog = () =>
  appliance
    .output()
    .split("\n")
    .filter((line) => line.startsWith('{"process":"postgres"'))
    .join("\n");

test("a start right after kill -9 of the supervisor waits for its remaining processes, and recovers", async () => {
  await sendEmails("killed", 1);
  const pids = await descendantsOf(appliance.process.pid!);
  appliance.process.kill("SIGKILL");
  await appliance.exited;
  appliance = await aReadyAppliance(appliance.env);
  expect(appliance.output()).not.toMatch(/^✗/m);
  expect(runningOf(pids)).toEqual([]);
});

test("SIGTERM stops everything within ten seconds; a start meanwhile waits, and finds the data", async () => {
  const pids = await descendantsOf(appliance.process.pid!);
  expect(pids.length).toBeGreaterThan(8);
  const { apiKey } = appliance.secrets();
  const since = performance.now();
  const before = appliance;
  before.process.kill("SIGTERM");
  await before.says("Stopping (SIGTERM)");
  appliance = startAppliance(appliance.env);
  expect(await before.exited).toBe(0);
  expect(performance.now() - since).toBeLessThan(10_000);
  expect(runningOf(pids)).toEqual([]);

  await appliance.says("Posthouse is ready");
  expect(appliance.output()).not.toMatch(/^✗/m);
  expect(appliance.output()).toContain(apiKey);
  expect(await inboxSubjects()).toContain("Your order");
});

test("after SIGTERM to every process with mail in flight, `npm start` finds everything closed and sends nothing twice", async () => {
  const logged = postgresLog().length;
  const newLog = () => postgresLog().slice(logged);
  await sendEmails("all", 3);
  await vi.waitFor(() => expect(received("all").length).toBeGreaterThan(50), {
    timeout: 60_000,
    interval: 5,
  });
  const supervisor = appliance.process.pid!;
  const pids = [supervisor, ...(await descendantsOf(supervisor))];
  for (const pid of pids)
    try {
      process.kill(pid, "SIGTERM");
    } catch {
      // It exited when another process did.
    }
  expect(await appliance.exited).toBe(0);
  expect(runningOf(pids)).toEqual([]);
  await vi.waitFor(() =>
    expect(newLog().trimEnd().split("\n").at(-1)).toContain("database system is shut down"),
  );
  expect(newLog()).not.toContain("immediate shutdown");

  appliance = startAppliance(appliance.env, ["npm", "start"]);
  await appliance.says("Posthouse is ready");
  await vi.waitFor(() => expect(new Set(received("all")).size).toBe(300), { timeout: 120_000 });
  expect(postgresLog()).not.toContain("was not properly shut down");
  expect(received("all")).toHaveLength(300);
});

test("on SIGTERM, `npm start` exits last", async () => {
  const pids = await descendantsOf(appliance.process.pid!);
  expect(pids.length).toBeGreaterThan(8);
  await appliance.stop();
  expect(runningOf(pids)).toEqual([]);
});
