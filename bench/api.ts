import { fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import autocannon, { type Request } from "autocannon";

import { migrate } from "#server/db/migrate.ts";
import { closePool, db } from "#server/db/pool.ts";
import { startEmbeddedPostgres } from "#server/postgres/embedded-postgres.ts";
import { aCompany, anApiKey, aDomain } from "#server/testing/factories.ts";
import { startWebProcess } from "#server/testing/web-process.ts";

import { cpuMs } from "./cpu.ts";
import { selfTimes } from "./self-times.ts";
import { disableLimits } from "./disable-limits.ts";

// Measures requests per second of the web process, with every email committed durably to Postgres, next to a
// bare node server with a response of about the same size. Client, servers and Postgres share this machine.
const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "8" },
    rounds: { type: "string", default: "2" },
    // The default limit of concurrent requests per company.
    connections: { type: "string", default: "25" },
    profile: { type: "boolean", default: false },
  },
});
const BODY_CHARS = 4096;
const BATCH_SIZE = 100;

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
await chmod(folder, 0o755);
const profiles = join(folder, "profiles");
const postgres = await startEmbeddedPostgres({ folder: join(folder, "postgres") });
const bare = fork(join(import.meta.dirname, "bare-server.ts"));

try {
  process.env.DATABASE_URL = postgres.url;
  process.env.POSTHOUSE_DATA = folder;
  await migrate(postgres.url);
  await disableLimits(db());
  const [{ port }] = (await once(bare, "message")) as [{ port: number }];
  const web = await startWebProcess({
    execArgv: options.profile ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`] : [],
  });
  const requests = await benchRequests();
  const bareUrl = `http://127.0.0.1:${port}`;
  const webUrl = `http://127.0.0.1:${web.port}`;
  for (const { request } of requests) await measured(webUrl, request, 2);

  const rows = [];
  for (let round = 0; round < Number(options.rounds); round++)
    for (const { name, request, emails } of requests) {
      const cpuBefore = cpuMs(web.child.pid!);
      const { total, ...ours } = await measured(webUrl, request);
      const cpuMsEach = (cpuMs(web.child.pid!) - cpuBefore) / total;
      const node = await measured(bareUrl, request);
      rows.push({
        request: name,
        ...ours,
        emailsPerSecond: ours.perSecond * emails,
        cpuMsEach: Number(cpuMsEach.toFixed(2)),
        "bare node: perSecond": node.perSecond,
        "bare node: p99": node.p99,
        ratio: Number((ours.perSecond / node.perSecond).toFixed(3)),
      });
    }
  console.table(rows);
  await web.stop();
  if (options.profile) console.table(selfTimes(profiles));
} finally {
  bare.disconnect();
  await closePool();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The measured requests, with the number of emails that each sends. */
async function benchRequests(): Promise<{ name: string; request: Request; emails: number }[]> {
  const { id } = await aCompany();
  const { token } = await anApiKey(id);
  const { name } = await aDomain(id);
  const email = {
    from: `Post House <post@${name}>`,
    to: "ann@example.org",
    subject: "Greetings",
    html: `<p>${"x".repeat(BODY_CHARS - 7)}</p>`,
  };
  const post = (path: string, body: unknown): Request => ({
    method: "POST",
    path,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const batch = Array.from({ length: BATCH_SIZE }, () => email);
  return [
    { name: "GET /", request: {}, emails: 0 },
    { name: "POST /emails", request: post("/emails", email), emails: 1 },
    {
      name: `POST /emails/batch of ${BATCH_SIZE}`,
      request: post("/emails/batch", batch),
      emails: BATCH_SIZE,
    },
  ];
}

/** Requests per second, and latency in milliseconds. Any response but a 200 ends the run. */
async function measured(url: string, request: Request, seconds = Number(options.seconds)) {
  const result = await autocannon({
    url: url + (request.path ?? "/"),
    connections: Number(options.connections),
    duration: seconds,
    method: request.method ?? "GET",
    headers: request.headers ?? {},
    ...(request.body !== undefined && { body: request.body }),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refused, ${result.errors} failed at ${url}`);
  const { p50, p99 } = result.latency;
  const { average, total } = result.requests;
  return { perSecond: Math.round(average), p50, p99, total };
}
