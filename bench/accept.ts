import { chmod, mkdtemp, rm } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import autocannon from "autocannon";
import driver from "postgres";

import { emails } from "#drizzle/schema/index.ts";
import { migrate } from "#server/db/migrate.ts";
import { closePool, db } from "#server/db/pool.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { aCompany, aDomain, anApiKey } from "#server/testing/factories.ts";
import { startWebProcess, type WebProcess } from "#server/testing/web-process.ts";

import { cpuMs } from "./cpu.ts";
import { insertBare } from "./insert-bare.ts";
import { selfTimes } from "./self-times.ts";
import { disableLimits } from "./disable-limits.ts";
import { median, reportFindings } from "./summary.ts";

// Measures how many emails per second are accepted over HTTP and committed, in batches of 100 and one by one.
// For comparison it alternates with the driver writing the same rows. Client, web process and Postgres share
// this machine.
const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "2" },
    profile: { type: "boolean", default: false },
  },
});
const SECONDS = Number(options.seconds);
const CONNECTIONS = 25;
const BATCH_SIZE = 100;
const BODY_CHARS = 1024;

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const profiles = join(folder, "profiles");
const postgres = await startEmbeddedPostgres({ folder: join(folder, "postgres") });
const bareSql = driver(postgres.url, { max: CONNECTIONS });
let web: WebProcess | undefined;

try {
  process.env.DATABASE_URL = postgres.url;
  process.env.POSTHOUSE_DATA = folder;
  await migrate(postgres.url);
  await disableLimits(db());
  const postgresPid = Number(
    readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8").split("\n")[0],
  );
  web = await startWebProcess({
    execArgv: options.profile ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`] : [],
  });
  const webPid = web.child.pid!;

  const company = await aCompany();
  const { token, id: keyId } = await anApiKey(company.id);
  const domain = await aDomain(company.id);
  const sender = { companyId: company.id, domainId: domain.id, keyId };
  const email = {
    from: `Post House <post@${domain.name}>`,
    to: "ann@example.org",
    subject: "Greetings",
    html: `<p>${"x".repeat(BODY_CHARS - 7)}</p>`,
  };
  const url = `http://127.0.0.1:${web.port}`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const post = (path: string, body: unknown, seconds: number) =>
    autocannon({
      url: url + path,
      connections: CONNECTIONS,
      duration: seconds,
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
  const batch = Array.from({ length: BATCH_SIZE }, () => email);
  const kinds = {
    [`batches of ${BATCH_SIZE}`]: {
      size: BATCH_SIZE,
      run: (seconds: number) => post("/emails/batch", batch, seconds),
    },
    "one by one": { size: 1, run: (seconds: number) => post("/emails", email, seconds) },
  };
  for (const { run } of Object.values(kinds)) await run(2);

  const rows = [];
  const ratios: Record<string, number[]> = {};
  for (let round = 0; round < Number(options.rounds); round++)
    for (const [name, { size, run }] of Object.entries(kinds)) {
      const ours = await measured(async () => {
        const { non2xx, errors, latency } = await run(SECONDS);
        if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} refused, ${errors} failed`);
        return { p50: latency.p50, p99: latency.p99 };
      });
      const bare = await measured(() =>
        insertBare(bareSql, { sender, email, size, connections: CONNECTIONS, seconds: SECONDS }),
      );
      const ratio = Number((ours.perSecond / bare.perSecond).toFixed(3));
      (ratios[name] ??= []).push(ratio);
      rows.push({
        emails: name,
        perSecond: ours.perSecond,
        p50: ours.result.p50,
        p99: ours.result.p99,
        "web: CPU ms": ours.webMs,
        "Postgres: CPU ms": ours.postgresMs,
        "driver alone: perSecond": bare.perSecond,
        "its Postgres: CPU ms": bare.postgresMs,
        ratio,
      });
    }
  console.table(rows);
  reportFindings(
    Object.entries(ratios).map(([name, each]) => ({
      what: `accept, ${name}, beside the driver`,
      unit: "times",
      measured: median(each),
      atLeast: 0.7,
    })),
  );
  await web.stop();
  if (options.profile) console.table(selfTimes(profiles));

  /** Emails written per second, counted in the table afterwards, and CPU time per email. */
  async function measured<T>(work: () => Promise<T>) {
    const before = await snapshot();
    const result = await work();
    const after = await snapshot();
    const count = after.emails - before.emails;
    const each = (ms: number) => Number((ms / count).toFixed(3));
    return {
      result,
      perSecond: Math.round((count * 1000) / (after.at - before.at)),
      webMs: each(after.web - before.web),
      postgresMs: each(after.postgres - before.postgres),
    };
  }

  async function snapshot() {
    return {
      emails: await db().$count(emails),
      at: performance.now(),
      web: cpuMs(webPid),
      postgres: cpuMs(postgresPid),
    };
  }
} finally {
  await web?.stop();
  await bareSql.end();
  await closePool();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
