import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

import { eq, sql } from "drizzle-orm";

import { emailEvents, emails, mailboxes, outbox } from "#drizzle/schema/index.ts";
import { ensureBuild } from "#server/cli/bootstrap/next-build.mjs";
import { auditLedger } from "#server/core/operations/ledger/ledger.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { closePool, db } from "#server/db/pool.ts";
import { migrate } from "#server/db/migrate.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { freePort } from "#server/processes/ports.ts";
import { aCompany, aDomain, anApiKey, aMailbox } from "#server/testing/factories.ts";
import { aDnsServer } from "#server/testing/fake-dns.ts";
import { separateHosts } from "#server/testing/mail-hosts.ts";

import { acceptEmails, benchEmails } from "./bench-email.ts";
import { cpuMs } from "./cpu.ts";
import { disableLimits } from "./disable-limits.ts";
import { endChildren, startChild } from "./start-child.ts";

// Runs two web processes, up to three workers and two mail hosts with separate data folders on one Postgres. Measures
// the CPU time per email with one, two and three workers, checks that limits and idempotency keys are exact
// across processes, and that nothing is lost while processes are killed.
const { values: options } = parseArgs({
  options: {
    emails: { type: "string", default: "6000" },
    kills: { type: "string", default: "100" },
  },
});
const COUNT = Number(options.emails);
const KILLS = Number(options.kills);
const LIMIT = 200;

const folder = await mkdtemp(join(tmpdir(), "posthouse-scale-"));
await chmod(folder, 0o755);
await ensureBuild();
const postgres = await startEmbeddedPostgres({ folder: join(folder, "postgres") });
const dns = await aDnsServer({
  "sink.test": { MX: ["10 mx.sink.test"] },
  "mx.sink.test": { A: ["127.0.0.1"] },
});
process.env.DATABASE_URL = postgres.url;
process.env.POSTHOUSE_DATA = join(folder, "bench");
await migrate(postgres.url);
const sink = await startChild("bench/sink.ts");
const hosts = await separateHosts({
  POSTHOUSE_DNS: `127.0.0.1:${dns.port}`,
  POSTHOUSE_OUTBOUND_PORT: String(sink.first.port),
});
try {
  const { sender, token } = await aClient();
  const mailHosts = [await hosts.startMailHost(), await hosts.startMailHost()];
  const inboxes: string[] = [];
  for (const { name } of mailHosts)
    inboxes.push((await aMailbox(sender, { storeHost: name })).address);

  const workers: ChildProcess[] = [];
  const rows = [];
  for (let count = 1; count <= 3; count++) {
    workers.push(await startRole("worker"));
    await deliver(500);
    rows.push({ workers: count, ...(await measure(workers)) });
  }
  console.table(rows);

  const ports = [await freePort(), await freePort()];
  const webs: ChildProcess[] = [];
  for (const port of ports) webs.push(await startRole("web", { PORT: String(port) }));
  await disableLimits(db());
  await checkIdempotency();
  await checkLimit();
  await disableLimits(db());
  await killUnderLoad();

  async function startRole(role: "web" | "worker", env: Record<string, string> = {}) {
    const { child } = await startChild(role === "web" ? "server/main.ts" : "worker/main.ts", {
      env: {
        NODE_ENV: "production",
        ...hosts.env,
        POSTHOUSE_ROLES: role,
        ...env,
        POSTHOUSE_DATA: await hosts.aFolder(),
      },
    });
    return child;
  }

  async function deliver(count: number): Promise<void> {
    const made = benchEmails(count, { from: `post@${sender.name}`, to: "sink.test" });
    await acceptEmails(db(), sender, made);
    await untilDelivered();
  }

  async function untilDelivered(): Promise<void> {
    while ((await db().$count(outbox)) > 0) await delay(20);
  }

  async function measure(running: ChildProcess[]) {
    const used = () => ({
      workers: running.reduce((sum, { pid }) => sum + cpuMs(pid!), 0),
      postgres: cpuMs(postgres.process.pid!),
    });
    const before = used();
    const bytesBefore = await databaseBytes();
    const startedAt = performance.now();
    await deliver(COUNT);
    const seconds = (performance.now() - startedAt) / 1000;
    const after = used();
    return {
      perSecond: Math.round(COUNT / seconds),
      workersCpuMsPerEmail: ((after.workers - before.workers) / COUNT).toFixed(3),
      postgresCpuMsPerEmail: ((after.postgres - before.postgres) / COUNT).toFixed(3),
      databaseBytesPerEmail: Math.round(((await databaseBytes()) - bytesBefore) / COUNT),
    };
  }

  async function aClient() {
    const company = await aCompany();
    const { token } = await anApiKey(company.id);
    return { sender: await aDomain(company.id), token };
  }

  async function databaseBytes(): Promise<number> {
    const [row] = await db().execute<{ bytes: number }>(
      sql`select pg_database_size(current_database())::float8 as bytes`,
    );
    return row!.bytes;
  }

  async function post(
    at: number,
    to: string,
    {
      key,
      as = { sender, token },
    }: { key?: string; as?: Awaited<ReturnType<typeof aClient>> } = {},
  ): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${ports[at % ports.length]!}/emails`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${as.token}`,
        "content-type": "application/json",
        ...(key && { "idempotency-key": key }),
      },
      body: JSON.stringify({ from: `post@${as.sender.name}`, to, subject: `${at}`, text: "Hello" }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  /** One key, at both web processes at once, is one email. */
  async function checkIdempotency(): Promise<void> {
    const before = await db().$count(emails);
    for (let round = 0; round < 20; round++)
      await Promise.all(
        Array.from({ length: 10 }, (_, at) => post(at, inboxes[0]!, { key: `same-${round}` })),
      );
    require("idempotency keys", (await db().$count(emails)) - before, 20);
  }

  /** Two web processes accept as many recipients as one. */
  async function checkLimit(): Promise<void> {
    const as = await aClient();
    await changeSetting(db(), "hourly_recipients_company", String(LIMIT));
    await delay(3_000);
    let accepted = 0;
    for (let batch = 0; batch < LIMIT / 10; batch++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => post(at, `r${at}@sink.test`, { as })),
      );
      accepted += answers.filter((status) => status === 200).length;
    }
    require("hourly recipients", accepted, LIMIT);
  }

  /** Kills processes in turn, and starts others, while emails are accepted for both mail hosts and the sink. */
  async function killUnderLoad(): Promise<void> {
    const accepted: string[] = [];
    let isOver = false;
    const load = async (client: number) => {
      for (let at = client; !isOver; at += 4) {
        const key = `load-${at}`;
        const to = [inboxes[0]!, inboxes[1]!, `r${at}@sink.test`][at % 3]!;
        // As a client does: the same request until it is answered.
        while ((await post(at, to, { key }).catch(() => 0)) !== 200) await delay(50);
        accepted.push(key);
      }
    };
    const clients = [0, 1, 2, 3].map(load);
    for (let round = 0; round < KILLS; round++) await killOne(round);
    isOver = true;
    await Promise.all(clients);
    await db().update(outbox).set({ nextAttemptAt: new Date().toISOString() });
    await untilDelivered();
    const { unaccounted } = await auditLedger(db());
    const delivered = await db().$count(emailEvents, eq(emailEvents.type, "delivered"));
    const all = await db().$count(emails);
    console.log(`${KILLS} kills, ${accepted.length} emails accepted meanwhile`);
    require("unaccounted", unaccounted, 0);
    require("delivered", delivered, all);
    require("mailboxes", await db().$count(mailboxes), inboxes.length);
  }

  async function killOne(round: number): Promise<void> {
    const kind = (["worker", "mail", "web"] as const)[round % 3]!;
    const at = Math.floor(round / 3) % 2;
    if (kind === "mail") {
      await kill(mailHosts[at]!.child);
      mailHosts[at] = await hosts.startMailHost(mailHosts[at]);
    } else if (kind === "worker") {
      await kill(workers[at]!);
      workers[at] = await startRole("worker");
    } else {
      await kill(webs[at]!);
      webs[at] = await startRole("web", { PORT: String(ports[at]) });
    }
  }

  async function kill(child: ChildProcess): Promise<void> {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  function require(what: string, found: number, expected: number): void {
    console.log(`${what}: ${found} (expected ${expected})`);
    if (found !== expected) process.exitCode = 1;
  }
} finally {
  await endChildren();
  await hosts.stop();
  await closePool();
  await dns.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
