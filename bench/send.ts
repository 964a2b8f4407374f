import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { outbox } from "#drizzle/schema/index.ts";
import { loadSigningDomains } from "#server/core/sending/dkim/load-signing-domains.ts";
import { closePool, db } from "#server/db/pool.ts";
import { migrate } from "#server/db/migrate.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";

import { acceptEmails, benchEmails } from "./bench-email.ts";
import { cpuMs } from "./cpu.ts";
import type { PeerOrder } from "./nodemailer-peer.ts";
import { selfTimes } from "./self-times.ts";
import { endChildren, startChild } from "./start-child.ts";
import { startDelivery } from "./start-delivery.ts";

// Measures emails per second from accepted rows in Postgres to a sink on this machine, DKIM-signed, by the
// real worker process; for comparison, nodemailer's pooled transport with its own signer, without a database.
const { values: options } = parseArgs({
  options: {
    emails: { type: "string", default: "20000" },
    "peer-emails": { type: "string", default: "4000" },
    rounds: { type: "string", default: "2" },
    profile: { type: "boolean", default: false },
  },
});
const COUNT = Number(options.emails);
const PEER_COUNT = Number(options["peer-emails"]);
const WARM_UP = 1000;
/** The carrier's connection limit per destination. */
const CONNECTIONS = 20;

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const profiles = join(folder, "profiles");
const postgres = await startEmbeddedPostgres({ folder: join(folder, "postgres") });
let delivery: Awaited<ReturnType<typeof startDelivery>> | undefined;

try {
  process.env.DATABASE_URL = postgres.url;
  process.env.POSTHOUSE_DATA = folder;
  await migrate(postgres.url);
  const sender = await aDomain((await aCompany()).id);
  const addresses = { from: `post@${sender.name}`, to: "sink.test" };
  delivery = await startDelivery({
    execArgv: options.profile ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`] : [],
  });
  const { sink, worker } = delivery;
  await sendOurs(WARM_UP);

  const rows = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const ours = await measured(COUNT, sendOurs);
    const peers = await measured(PEER_COUNT, sendPeers);
    rows.push({ what: "posthouse", ...ours }, { what: "nodemailer", ...peers });
    console.log(`posthouse / nodemailer: ${(ours.perSecond / peers.perSecond).toFixed(2)}`);
  }
  console.table(rows);
  worker.child.kill("SIGTERM");
  await once(worker.child, "exit");
  if (options.profile) console.table(selfTimes(profiles));

  /** Until the last recipient has an outcome in the database. */
  async function sendOurs(count: number) {
    await acceptEmails(db(), sender, benchEmails(count, addresses));
    const startedAt = performance.now();
    const before = usage({ worker: worker.child.pid! });
    while ((await db().$count(outbox)) > 0) await delay(20);
    return { startedAt, before };
  }

  async function sendPeers(count: number) {
    const [signer] = (await loadSigningDomains(db(), [sender.id])).values();
    const key = signer instanceof Error ? undefined : signer?.keys[0];
    if (!key) throw new Error("The sender has no DKIM key", { cause: signer });
    const peer = await startChild("bench/nodemailer-peer.ts");
    const startedAt = performance.now();
    const before = usage({ worker: peer.child.pid! });
    const order: PeerOrder = {
      port: Number(sink.first.port),
      connections: CONNECTIONS,
      dkim: {
        domainName: sender.name,
        keySelector: key.selector,
        privateKey: key.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      },
      emails: benchEmails(count, addresses),
    };
    peer.child.send(order);
    await once(peer.child, "message");
    return { startedAt, before };
  }

  function usage({ worker: pid }: { worker: number }) {
    const read = () => ({
      worker: cpuMs(pid),
      postgres: cpuMs(postgres.process.pid!),
      sink: cpuMs(sink.child.pid!),
    });
    const before = read();
    return () => {
      const after = read();
      return {
        worker: after.worker - before.worker,
        postgres: after.postgres - before.postgres,
        sink: after.sink - before.sink,
      };
    };
  }

  async function measured(
    count: number,
    send: (count: number) => Promise<{ startedAt: number; before: ReturnType<typeof usage> }>,
  ) {
    const acceptedBefore = await acceptedBySink();
    const { startedAt, before: used } = await send(count);
    const seconds = (performance.now() - startedAt) / 1000;
    const cpu = used();
    const arrived = (await acceptedBySink()) - acceptedBefore;
    if (arrived !== count) throw new Error(`${arrived} of ${count} emails reached the sink`);
    return {
      emails: count,
      seconds: Number(seconds.toFixed(2)),
      perSecond: Math.round(count / seconds),
      workerCpuMsPerEmail: Number((cpu.worker / count).toFixed(3)),
      postgresCpuMsPerEmail: Number((cpu.postgres / count).toFixed(3)),
      sinkCpuMsPerEmail: Number((cpu.sink / count).toFixed(3)),
    };
  }

  async function acceptedBySink(): Promise<number> {
    sink.child.send({});
    const [{ accepted }] = (await once(sink.child, "message")) as [{ accepted: number }];
    return accepted;
  }
} finally {
  await endChildren();
  await delivery?.dns.close();
  await closePool();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
