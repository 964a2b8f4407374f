import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { sql } from "drizzle-orm";

import { outbox } from "#drizzle/schema/index.ts";
import { loadSigningDomains } from "#server/core/sending/dkim/dkim-keys.ts";
import { PRIORITIES } from "#server/core/sending/outbox/queue-rows.ts";
import { closePool, db } from "#server/db/pool.ts";
import { migrate } from "#server/db/migrate.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { aCompany, aDomain, anApiKey } from "#server/testing/factories.ts";
import { startWebProcess } from "#server/testing/web-process.ts";

import type { BatchOrder } from "./batch-client.ts";
import { benchEmails } from "./bench-email.ts";
import { cpuMs } from "./cpu.ts";
import { disableLimits } from "./disable-limits.ts";
import { sendWithNodemailer } from "./nodemailer-round.ts";
import { queueEmails } from "./queue-emails.ts";
import { startRelays } from "./relay-round.ts";
import { selfTimes } from "./self-times.ts";
import { endChildren, startChild } from "./start-child.ts";
import { startDelivery } from "./start-delivery.ts";
import { median, reportFindings } from "./summary.ts";

// Measures emails per second to a sink on this machine, from the first request to the last outcome: accepted over
// HTTP in batches while the worker signs and sends. Beside it, the same emails accepted over SMTP and sent by
// Postfix, with and without OpenDKIM, and nodemailer's pooled transport, which accepts and stores nothing.
// Aims: 8 times Postfix with OpenDKIM, and 5 times Postfix alone. With `--waiting`, also the speed while so many
// rows are waiting; with `--distant`, at 200 ms from 15 destinations and from one.
const { values: options } = parseArgs({
  options: {
    emails: { type: "string", default: "20000" },
    "peer-emails": { type: "string", default: "4000" },
    rounds: { type: "string", default: "3" },
    waiting: { type: "string", default: "0" },
    distant: { type: "boolean", default: false },
    profile: { type: "boolean", default: false },
  },
});
const COUNT = Number(options.emails);
const PEER_COUNT = Number(options["peer-emails"]);
const WAITING = Number(options.waiting);
const WARM_UP = 1000;
const BATCH = { connections: 4, size: 100 };
const DISTANT = Array.from({ length: 15 }, (_, at) => `distant${at}.test`);
const ROUND_TRIP_MS = 200;

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const profiles = join(folder, "profiles");
const postgres = await startEmbeddedPostgres({ folder: join(folder, "postgres") });
let delivery: Awaited<ReturnType<typeof startDelivery>> | undefined;
let web: Awaited<ReturnType<typeof startWebProcess>> | undefined;

try {
  process.env.DATABASE_URL = postgres.url;
  process.env.POSTHOUSE_DATA = folder;
  await migrate(postgres.url);
  await disableLimits(db());
  const { id: companyId } = await aCompany();
  const { token } = await anApiKey(companyId);
  const sender = await aDomain(companyId);
  const signer = (await loadSigningDomains(db(), [sender.id])).get(sender.id);
  if (!signer || signer instanceof Error) throw new Error("The sender has no DKIM key");
  const addresses = { from: `post@${sender.name}`, to: "sink.test" };
  web = await startWebProcess();
  const { port } = web;
  const webPid = web.child.pid!;
  delivery = await startDelivery({
    execArgv: options.profile ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`] : [],
    receivers: [{ domains: DISTANT, roundTripMs: ROUND_TRIP_MS }],
  });
  const { sink, worker } = delivery;
  const sinkPort = Number(sink.first.port);
  const client = await startChild("bench/batch-client.ts");
  const relay = await startRelays(folder, { port: sinkPort, signer });
  const peers = {
    "Postfix + OpenDKIM": throughPostfix("signed"),
    Postfix: throughPostfix("unsigned"),
    nodemailer: (count: number) =>
      sendWithNodemailer(benchEmails(count, addresses), { port: sinkPort, signer }),
  };
  for (const send of [sendOurs, ...Object.values(peers)]) await measured("warm-up", WARM_UP, send);

  const rows = [];
  const ratios: Record<string, number[]> = {};
  for (let round = 0; round < Number(options.rounds); round++) {
    const ours = await measured("Posthouse", COUNT, sendOurs);
    rows.push(ours);
    for (const [name, send] of Object.entries(peers)) {
      const peer = await measured(name, PEER_COUNT, send);
      rows.push(peer);
      const ratio = ours.perSecond / peer.perSecond;
      (ratios[name] ??= []).push(ratio);
      console.log(`Posthouse / ${name}: ${ratio.toFixed(2)}`);
    }
  }
  console.table(rows);
  const times = (name: keyof typeof peers) => ({
    what: `send, beside ${name}`,
    unit: "times",
    measured: median(ratios[name]!),
  });
  reportFindings([
    { ...times("Postfix + OpenDKIM"), atLeast: 8 },
    { ...times("Postfix"), atLeast: 5 },
  ]);
  if (WAITING > 0) {
    const few = await drainRate(COUNT, ["sink.test"]);
    const many = await drainRate(WAITING, ["sink.test"]);
    console.log(`${few}/s with ${COUNT} rows waiting, ${many}/s with ${WAITING}`);
  }
  if (options.distant) {
    const rates = [await drainRate(COUNT, DISTANT), await drainRate(COUNT / 10, [DISTANT[0]!])];
    console.log(
      `At ${ROUND_TRIP_MS} ms: ${rates[0]}/s to ${DISTANT.length} destinations, ${rates[1]}/s to one`,
    );
  }
  worker.child.kill("SIGTERM");
  await once(worker.child, "exit");
  if (options.profile) console.table(selfTimes(profiles));

  /** Until the last recipient has an outcome in the database. */
  async function sendOurs(count: number) {
    const order: BatchOrder = { port, token, ...BATCH, emails: benchEmails(count, addresses) };
    client.child.send(order);
    const [done] = (await once(client.child, "message")) as [{ startedAt: number }];
    while ((await db().$count(outbox)) > 0) await delay(20);
    return done;
  }

  function throughPostfix(kind: "signed" | "unsigned") {
    return async (count: number) => {
      const end = (await acceptedBySink()) + count;
      const isDone = async () => (await acceptedBySink()) >= end;
      return relay(kind, benchEmails(count, addresses), isDone);
    };
  }

  /** Emails per second of the second quarter of a full outbox, which is then emptied. */
  async function drainRate(waiting: number, to: string[]): Promise<number> {
    await queueEmails(db(), sender, { count: waiting, to, priority: PRIORITIES.batch });
    const quarter = Math.min(waiting, COUNT) / 4;
    const untilDelivered = async (count: number) => {
      while ((await delivered()) < start + count) await delay(20);
      return performance.now();
    };
    const start = await delivered();
    const from = await untilDelivered(quarter);
    const seconds = ((await untilDelivered(2 * quarter)) - from) / 1000;
    await db().execute(sql`truncate outbox`);
    return Math.round(quarter / seconds);
  }

  async function delivered(): Promise<number> {
    const counts = await Promise.all([sink, ...delivery!.receivers].map(acceptedBy));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async function measured(
    what: string,
    count: number,
    send: (count: number) => Promise<{ startedAt: number }>,
  ) {
    const acceptedBefore = await acceptedBySink();
    const before = usage();
    const { startedAt } = await send(count);
    const seconds = (Date.now() - startedAt) / 1000;
    const after = usage();
    const arrived = (await acceptedBySink()) - acceptedBefore;
    if (arrived !== count) throw new Error(`${arrived} of ${count} emails reached the sink`);
    const cpuMsEach = (of: keyof typeof after) =>
      Number(((after[of] - before[of]) / count).toFixed(3));
    return {
      what,
      emails: count,
      seconds: Number(seconds.toFixed(2)),
      perSecond: Math.round(count / seconds),
      "web: CPU ms": cpuMsEach("web"),
      "worker: CPU ms": cpuMsEach("worker"),
      "Postgres: CPU ms": cpuMsEach("postgres"),
      "sink: CPU ms": cpuMsEach("sink"),
    };
  }

  function usage() {
    return {
      web: cpuMs(webPid),
      worker: cpuMs(worker.child.pid!),
      postgres: cpuMs(postgres.process.pid!),
      sink: cpuMs(sink.child.pid!),
    };
  }

  function acceptedBySink(): Promise<number> {
    return acceptedBy(sink);
  }
} finally {
  await web?.stop();
  await endChildren("SIGTERM");
  await delivery?.dns.close();
  await closePool();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function acceptedBy({ child }: Awaited<ReturnType<typeof startChild>>): Promise<number> {
  child.send({});
  const [{ accepted }] = (await once(child, "message")) as [{ accepted: number }];
  return accepted;
}
