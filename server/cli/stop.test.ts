import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { anSmtpSink, type SmtpSink } from "#server/testing/smtp-sink.ts";
import {
  type Appliance,
  applianceEnv,
  descendantsOf,
  runningOf,
  startAppliance,
} from "#server/testing/start-appliance.ts";

import { ensureBuild } from "./bootstrap/next-build.mjs";

// How an appliance stops, and how the next start handles what it left behind.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 600_000 });

const folder = mkdtempSync(join(tmpdir(), "posthouse-stop-"));
const dataFolder = join(folder, "data");
let appliance: Appliance;
let sink: SmtpSink;

beforeAll(async () => {
  await ensureBuild();
  sink = await anSmtpSink({ replyDelayMs: 60 });
  const relay = { POSTHOUSE_RELAY_URL: `smtp://127.0.0.1:${sink.port}` };
  appliance = startAppliance({ ...(await applianceEnv(dataFolder)), ...relay });
  await appliance.says("Posthouse is ready");
});

afterAll(async () => {
  appliance.process.kill("SIGTERM");
  await appliance.exited;
  await sink.close();
  rmSync(folder, { recursive: true, force: true });
});

const BATCH = 100;

/** Submits batches of emails to outside addresses named after `run`. */
async function sendEmails(run: string, batches: number): Promise<void> {
  const { apiKey } = JSON.parse(readFileSync(join(dataFolder, "keys/sandbox.json"), "utf8")) as {
    apiKey: string;
  };
  for (let batch = 0; batch < batches; batch++) {
    const emails = Array.from({ length: BATCH }, (_, i) => ({
      from: "shop@posthouse.localhost",
      to: `${run}-${batch}-${i}@example.com`,
      ...{ subject: "Your order", text: "Thank you." },
    }));
    const answer = await fetch(`http://127.0.0.1:${appliance.env.PORT!}/emails/batch`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(emails),
    });
    expect(answer.status).toBe(200);
  }
}

const received = (run: string) =>
  sink.messages.flatMap(({ recipients }) => recipients.filter((each) => each.startsWith(run)));

const wholeAppliance = async () => [
  appliance.process.pid!,
  ...(await descendantsOf(appliance.process.pid!)),
];

const postgresLog = () => readFileSync(join(dataFolder, "logs/postgres.log"), "utf8");

test("SIGTERM to every process with mail in flight stops the appliance cleanly, and nothing is sent twice", async () => {
  await sendEmails("all", 3);
  await vi.waitFor(() => expect(received("all").length).toBeGreaterThan(50), {
    timeout: 60_000,
    interval: 5,
  });
  const pids = await wholeAppliance();
  for (const pid of pids)
    try {
      process.kill(pid, "SIGTERM");
    } catch {
      // It exited when another process did.
    }
  expect(await appliance.exited).toBe(0);
  expect(runningOf(pids)).toEqual([]);
  expect(postgresLog()).not.toContain("immediate shutdown");
  expect(postgresLog().trimEnd().split("\n").at(-1)).toContain("database system is shut down");

  appliance = startAppliance(appliance.env);
  await appliance.says("Posthouse is ready");
  const all = 3 * BATCH;
  await vi.waitFor(() => expect(new Set(received("all")).size).toBe(all), { timeout: 120_000 });
  expect(postgresLog()).not.toContain("was not properly shut down");
  expect(received("all")).toHaveLength(all);
});

test("a start right after kill -9 of the supervisor waits for its remaining processes", async () => {
  await sendEmails("killed", 1);
  appliance.process.kill("SIGKILL");
  await appliance.exited;
  appliance = startAppliance(appliance.env);
  await appliance.says("Posthouse is ready");
  expect(appliance.output()).not.toMatch(/^✗/m);
});

test("a start while the appliance is stopping waits until it has stopped", async () => {
  appliance.process.kill("SIGTERM");
  await appliance.says("Stopping (SIGTERM)");
  const before = appliance;
  appliance = startAppliance(appliance.env);
  expect(await before.exited).toBe(0);
  await appliance.says("Posthouse is ready");
  expect(appliance.output()).not.toMatch(/^✗/m);
});

test("on SIGTERM, npm start exits last", async () => {
  appliance.process.kill("SIGTERM");
  await appliance.exited;
  const npm = spawn("npm", ["start"], { env: appliance.env, stdio: ["ignore", "pipe", "inherit"] });
  await untilSays(npm, "Posthouse is ready");
  const pids = await descendantsOf(npm.pid!);
  expect(pids.length).toBeGreaterThan(8);
  npm.kill("SIGTERM");
  await once(npm, "exit");
  expect(runningOf(pids)).toEqual([]);
  appliance = startAppliance(appliance.env);
  await appliance.says("Posthouse is ready");
});

function untilSays(child: ChildProcess, text: string): Promise<void> {
  let output = "";
  return new Promise((resolve, reject) => {
    child.stdout!.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes(text)) resolve();
    });
    child.once("exit", () => reject(new Error(`It ended without saying "${text}":\n${output}`)));
  });
}
