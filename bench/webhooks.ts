import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { sql } from "drizzle-orm";

import { webhookEvents } from "#drizzle/schema/index.ts";
import { publishEvent, wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import { migrate } from "#server/db/migrate.ts";
import { closePool, db } from "#server/db/pool.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { aCompany, aContext, aWebhook } from "#server/testing/factories.ts";
import { CERTIFICATE } from "#server/testing/self-signed.ts";

import { cpuMs } from "./cpu.ts";
import { selfTimes } from "./self-times.ts";
import { endChildren, startChild } from "./start-child.ts";
import { median, reportFindings } from "./summary.ts";
import type { PeerOrder } from "./webhook-peer.ts";

// Measures webhook events per second from rows in Postgres to an HTTPS endpoint on this machine that responds
// after 20 ms, by the real worker process, alternating with a loop of bare undici that makes the same signed
// posts without a database. Then measures how long an event takes from its commit to the endpoint when idle,
// each over a new connection.
const { values: options } = parseArgs({
  options: {
    events: { type: "string", default: "5000" },
    rounds: { type: "string", default: "3" },
    singles: { type: "string", default: "100" },
    profile: { type: "boolean", default: false },
  },
});
const COUNT = Number(options.events);
const WARM_UP = 500;
const ANSWER_MS = 20;
/** The limit of concurrent attempts per webhook. */
const CONCURRENCY = 32;
/** Pause between single events. */
const IDLE_MS = 400;

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const profiles = join(folder, "profiles");
const postgres = await startEmbeddedPostgres({ folder: join(folder, "postgres") });

try {
  process.env.DATABASE_URL = postgres.url;
  process.env.POSTHOUSE_DATA = folder;
  await migrate(postgres.url);
  const trusted = join(folder, "receiver.pem");
  await writeFile(trusted, CERTIFICATE);
  const receiver = await startChild("bench/webhook-receiver.ts", { args: [String(ANSWER_MS)] });
  const url = `https://localhost:${Number(receiver.first.port)}/hook`;
  const webhook = await aWebhook((await aCompany()).id, { endpoint: url });
  const ctx = aContext(webhook.companyId);
  const worker = await startChild("worker/main.ts", {
    env: { POSTHOUSE_PRIVATE_WEBHOOKS: "127.0.0.0/8", NODE_EXTRA_CA_CERTS: trusted },
    execArgv: options.profile ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`] : [],
  });
  const event = {
    created_at: new Date().toISOString(),
    email_id: crypto.randomUUID(),
    from: "Post House <post@example.com>",
    to: ["ann@example.org"],
    subject: "Greetings",
    tags: { order: "4711" },
    message_id: `<${crypto.randomUUID()}@example.com>`,
  };
  await deliverOurs(WARM_UP);

  const rows = [];
  const ratios: number[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const ours = await measured(worker.child, deliverOurs);
    const peer = await startChild("bench/webhook-peer.ts");
    const peers = await measured(peer.child, (count) => postByPeer(peer.child, count));
    const ratio = Number((ours.perSecond / peers.perSecond).toFixed(2));
    ratios.push(ratio);
    rows.push({ what: "posthouse", ...ours, ratio }, { what: "bare undici", ...peers });
  }
  console.table(rows);
  reportFindings([
    { what: "webhooks, beside undici", unit: "times", measured: median(ratios), atLeast: 0.9 },
  ]);

  const singles: number[] = [];
  for (let i = 0; i < Number(options.singles); i++) singles.push(await single());
  singles.sort((a, b) => a - b);
  const at = (share: number) => Math.round(singles[Math.floor(singles.length * share)]!);
  console.log(`commit to endpoint, idle: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);

  worker.child.kill("SIGTERM");
  await once(worker.child, "exit");
  if (options.profile) console.table(selfTimes(profiles));

  /** Until the last event's success is committed. */
  async function deliverOurs(count: number): Promise<void> {
    await db().delete(webhookEvents);
    await db().execute(sql`
      insert into webhook_events (webhook_id, company_id, type, payload)
      select ${webhook.id}, ${webhook.companyId}, 'email.sent', ${payload()}::json
      from generate_series(1, ${count})`);
    await db().execute(sql`vacuum analyze webhook_events`);
    await db().execute(sql`update webhook_events set next_attempt_at = clock_timestamp()`);
    wakeWebhooks(db());
    const waiting = sql`next_attempt_at is not null`;
    while ((await db().$count(webhookEvents, waiting)) > 0) await delay(20);
  }

  async function postByPeer(peer: ChildProcess, count: number): Promise<void> {
    const order: PeerOrder = {
      url,
      secret: webhook.signingSecret,
      body: payload(),
      count,
      concurrency: CONCURRENCY,
    };
    peer.send(order);
    await once(peer, "message");
  }

  /** Milliseconds from the commit of a change to the arrival of its event. */
  async function single(): Promise<number> {
    const { received } = await atReceiver();
    await delay(IDLE_MS);
    await db().transaction((tx) => publishEvent({ ...ctx, db: tx }, "domain.created", event));
    const committedAt = performance.timeOrigin + performance.now();
    wakeWebhooks(db());
    for (;;) {
      const now = await atReceiver();
      if (now.received > received) return now.lastAt - committedAt;
      await delay(5);
    }
  }

  function payload(): string {
    return JSON.stringify({ type: "email.sent", created_at: event.created_at, data: event });
  }

  async function measured(child: ChildProcess, work: (count: number) => Promise<void>) {
    const before = { received: (await atReceiver()).received, ...usage(child) };
    const startedAt = performance.now();
    await work(COUNT);
    const seconds = (performance.now() - startedAt) / 1000;
    const after = usage(child);
    const arrived = (await atReceiver()).received - before.received;
    if (arrived !== COUNT) throw new Error(`${arrived} of ${COUNT} events reached the endpoint`);
    const each = (ms: number) => Number((ms / COUNT).toFixed(3));
    return {
      events: COUNT,
      seconds: Number(seconds.toFixed(2)),
      perSecond: Math.round(COUNT / seconds),
      cpuMsPerEvent: each(after.own - before.own),
      postgresCpuMsPerEvent: each(after.postgres - before.postgres),
    };
  }

  function usage(child: ChildProcess) {
    return { own: cpuMs(child.pid!), postgres: cpuMs(postgres.process.pid!) };
  }

  async function atReceiver(): Promise<{ received: number; lastAt: number }> {
    receiver.child.send({});
    const [answer] = (await once(receiver.child, "message")) as [
      { received: number; lastAt: number },
    ];
    return answer;
  }
} finally {
  await endChildren();
  await closePool();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
