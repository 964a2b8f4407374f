import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ImapFlow } from "imapflow";
import { Resend } from "resend";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { runPosthouse } from "#server/testing/run-posthouse.ts";
import {
  type Appliance,
  applianceEnv,
  descendantsOf,
  startAppliance,
  runningOf,
} from "#server/testing/start-appliance.ts";

import { ensureBuild } from "./bootstrap/next-build.mjs";

// The whole appliance, started by its command. The waits take seconds on an idle machine and a minute on a
// busy one.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 600_000 });

const folder = mkdtempSync(join(tmpdir(), "posthouse-appliance-"));
const dataFolder = join(folder, "data");
let appliance: Appliance;

beforeAll(async () => {
  await ensureBuild();
  appliance = startAppliance(await applianceEnv(dataFolder));
  await appliance.says("Posthouse is ready");
});

afterAll(async () => {
  appliance.process.kill("SIGTERM");
  await appliance.exited;
  rmSync(folder, { recursive: true, force: true });
});

type Secrets = { password: string; apiKey: string };
const secrets = () =>
  JSON.parse(readFileSync(join(dataFolder, "keys/sandbox.json"), "utf8")) as Secrets;
const baseUrl = () => `http://127.0.0.1:${appliance.env.PORT!}`;
const command = (...args: string[]) => runPosthouse(args, appliance.env);

async function inboxSubjects(): Promise<string[]> {
  const client = new ImapFlow({
    host: "127.0.0.1",
    port: Number(appliance.env.IMAPS_PORT),
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user: "you@posthouse.localhost", pass: secrets().password },
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
  expect(appliance.output()).toContain(`password ${secrets().password}`);
  expect(appliance.output()).toContain(`-H 'Authorization: Bearer ${secrets().apiKey}'`);
  expect(appliance.output()).not.toMatch(/^✗/m);
});

test("an email sent with a client library arrives in the mailbox and is in the ledger", async () => {
  const resend = new Resend(secrets().apiKey, { baseUrl: baseUrl() });
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
      ...["Postgres", "web", "worker", "SMTP", "IMAP", "LMTP", "disk", "certificate"],
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
  const killed = await partPid("server/main.ts");
  process.kill(killed, "SIGKILL");
  await appliance.says("✗ web ended (signal SIGKILL)");
  await appliance.says("✓ web is running again");
  expect((await fetch(`${baseUrl()}/readyz`)).status).toBe(200);
  expect(await partPid("server/main.ts")).not.toBe(killed);
});

test("Postgres, when killed, restarts on the same port", async () => {
  process.kill(await partPid("/postgres"), "SIGKILL");
  await appliance.says("✓ postgres is running again");
  await vi.waitFor(async () => expect((await fetch(`${baseUrl()}/readyz`)).status).toBe(200), {
    timeout: 30_000,
    interval: 200,
  });
});

test("SIGTERM stops everything within ten seconds, and the next start finds the data", async () => {
  const pids = await descendantsOf(appliance.process.pid!);
  expect(pids.length).toBeGreaterThan(8);
  const since = performance.now();
  appliance.process.kill("SIGTERM");
  expect(await appliance.exited).toBe(0);
  expect(performance.now() - since).toBeLessThan(10_000);
  expect(runningOf(pids)).toEqual([]);

  const { apiKey } = secrets();
  appliance = startAppliance(appliance.env);
  await appliance.says("Posthouse is ready");
  expect(appliance.output()).toContain(apiKey);
  expect(await inboxSubjects()).toContain("Your order");
});

test("kill -9 of the supervisor leaves nothing running, and the next start recovers", async () => {
  const pids = await descendantsOf(appliance.process.pid!);
  appliance.process.kill("SIGKILL");
  await appliance.exited;
  await vi.waitFor(() => expect(runningOf(pids)).toEqual([]), {
    timeout: 60_000,
    interval: 100,
  });
  appliance = startAppliance(appliance.env);
  await appliance.says("Posthouse is ready");
});
