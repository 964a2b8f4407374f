import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import autocannon from "autocannon";

import { outbox } from "#drizzle/schema/index.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { connect, type Db } from "#server/db/client.ts";
import { clusterFolder, runningPort, urlAt } from "#server/postgres/cluster.ts";
import { ensureBuilt } from "#server/testing/ensure-built.ts";
import { type Appliance, applianceEnv, startAppliance } from "#server/testing/start-appliance.ts";

import { startDebianPeers } from "./debian-peers.ts";
import { disableLimits } from "./disable-limits.ts";
import { openIdleSessions } from "./idle-sessions.ts";
import { familyMemory } from "./process-memory.ts";
import { endChildren } from "./start-child.ts";
import { median, reportFindings } from "./summary.ts";

// Measures the memory of the whole appliance (PSS, from /proc), without rspamd: idle after a start, at its peak under
// load, and a minute after the load. Also measures the time from start to ready, with a new data folder and with an existing one,
// and for comparison the memory of Debian's Postfix, Dovecot and Postgres when idle.
const { values: options } = parseArgs({
  options: {
    /** Seconds between the start and the first measurement. */
    idle: { type: "string", default: "45" },
    /** Emails of the load. */
    emails: { type: "string", default: "20000" },
    /** Seconds between the end of the load and the last measurement. */
    rest: { type: "string", default: "60" },
    /** A running container, for its figure by `docker stats`. */
    container: { type: "string" },
  },
});
const BATCH_SIZE = 100;
const BODY_CHARS = 4096;
const IMAP_SESSIONS = 20;
/** The aims, in MB and seconds. */
const IDLE_MB = 300;
const AFTER_LOAD_MB = 450;
const FIRST_START_SECONDS = 6;
const START_SECONDS = 3;
const PEERS_SETTLE_MS = 15_000;

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const dataFolder = join(folder, "data");
await ensureBuilt();
const env = await applianceEnv(dataFolder);
let appliance: Appliance | undefined;

try {
  const rows: { measured: string; seconds: number }[] = [];
  for (const measured of ["first start", "second start", "third start"]) {
    await stop();
    const startedAt = performance.now();
    appliance = startAppliance(env);
    await appliance.says("Posthouse is ready");
    rows.push({ measured, seconds: Number(((performance.now() - startedAt) / 1000).toFixed(1)) });
  }
  console.table(rows);
  console.log(`aims: ${FIRST_START_SECONDS} s with a new data folder, then ${START_SECONDS} s`);

  await delay(Number(options.idle) * 1000);
  const idle = show(`idle ${options.idle} s after the start`);
  const peak = await peakOf(load);
  console.log(`peak under load: ${peak.toFixed(0)} MB`);
  await delay(Number(options.rest) * 1000);
  const rested = show(`${options.rest} s after a load of ${options.emails} emails`);
  console.log(
    `idle ${idle.toFixed(0)} MB (aim ${IDLE_MB}), after load ${rested.toFixed(0)} MB (aim ${AFTER_LOAD_MB})`,
  );
  const [first, ...later] = rows.map(({ seconds }) => seconds);
  reportFindings([
    { what: "start, new data folder", unit: "s", measured: first!, atMost: FIRST_START_SECONDS },
    { what: "start", unit: "s", measured: median(later), atMost: START_SECONDS },
    { what: "memory, idle", unit: "MB", measured: idle, atMost: IDLE_MB },
    {
      what: `memory after ${options.emails} emails`,
      unit: "MB",
      measured: rested,
      atMost: AFTER_LOAD_MB,
    },
  ]);
  if (options.container) console.log(dockerStats(options.container));
  await stop();
  if (existsSync("/usr/sbin/postfix")) await showPeers();
  if (idle > IDLE_MB || rested > AFTER_LOAD_MB) process.exitCode = 1;
} finally {
  await endChildren("SIGTERM");
  await stop();
  await rm(folder, { recursive: true, force: true });
}

async function stop(): Promise<void> {
  appliance?.process.kill("SIGTERM");
  await appliance?.exited;
  appliance = undefined;
}

function show(title: string): number {
  const { total, processes } = familyMemory(appliance!.process.pid!);
  console.log(`\n${title}: ${total.toFixed(0)} MB`);
  console.table(
    processes.map(({ process, count, pssMb, anonymousMb }) => ({
      process,
      count,
      pssMb: Number(pssMb.toFixed(1)),
      anonymousMb: Number(anonymousMb.toFixed(1)),
    })),
  );
  return total;
}

/** Runs after the appliance has stopped: shared files would lower the PSS of both. */
async function showPeers(): Promise<void> {
  const peers = await startDebianPeers(folder);
  await delay(PEERS_SETTLE_MS);
  const sizes = Object.entries(peers).map(([name, pid]) => ({ name, ...familyMemory(pid) }));
  const total = sizes.reduce((sum, peer) => sum + peer.total, 0);
  const parts = sizes.map((peer) => `${peer.name} ${peer.total.toFixed(0)}`).join(", ");
  console.log(`Debian's Postfix, Dovecot and Postgres, idle: ${total.toFixed(0)} MB (${parts})`);
}

/** The largest total during `work`, in MB. */
async function peakOf(work: () => Promise<void>): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, familyMemory(appliance!.process.pid!).total);
  }, 500);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak;
}

/** Sends the emails to the sandbox mailbox, reads API and console pages, and leaves mail apps idle for a while. */
async function load(): Promise<void> {
  const connection = connect(urlAt(clusterFolder(dataFolder), await portOf(dataFolder)), {
    max: 1,
  });
  try {
    await disableLimits(connection.db);
    // Delivered to Dovecot, one message after the other.
    await changeSetting(connection.db, "rspamd_url", "off");
    const { apiKey, password } = await secrets();
    const endSessions = await openIdleSessions(Number(env.IMAPS_PORT), {
      users: ["you@posthouse.localhost"],
      password,
      count: IMAP_SESSIONS,
    });
    await send(apiKey);
    await readPages(apiKey);
    await untilDelivered(connection.db);
    endSessions();
  } finally {
    await connection.close();
  }
}

async function portOf(data: string): Promise<number> {
  const port = await runningPort(clusterFolder(data));
  if (port === null) throw new Error(`No database runs in ${data}`);
  return port;
}

async function secrets() {
  return JSON.parse(await readFile(join(dataFolder, "keys/sandbox.json"), "utf8")) as {
    apiKey: string;
    password: string;
  };
}

async function send(apiKey: string): Promise<void> {
  const email = {
    from: "Posthouse <hello@posthouse.localhost>",
    to: "you@posthouse.localhost",
    subject: "Greetings",
    html: `<p>${"x".repeat(BODY_CHARS)}</p>`,
  };
  const amount = Math.ceil(Number(options.emails) / BATCH_SIZE);
  const { non2xx, errors } = await autocannon({
    url: `http://127.0.0.1:${env.PORT!}/emails/batch`,
    connections: 10,
    amount,
    method: "POST",
    timeout: 60,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(Array.from({ length: BATCH_SIZE }, () => email)),
  });
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} batches refused, ${errors} failed`);
}

async function readPages(apiKey: string): Promise<void> {
  for (const path of ["/emails?limit=100", "/console/sign-in", "/account", "/docs"])
    await autocannon({
      url: `http://127.0.0.1:${env.PORT!}${path}`,
      connections: 10,
      amount: 500,
      headers: { authorization: `Bearer ${apiKey}` },
    });
}

async function untilDelivered(db: Db): Promise<void> {
  while ((await db.$count(outbox)) > 0) await delay(250);
}

function dockerStats(container: string): string {
  const format = "docker stats: {{.MemUsage}}";
  return execFileSync("docker", ["stats", "--no-stream", "--format", format, container]).toString();
}
