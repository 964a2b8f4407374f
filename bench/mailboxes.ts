import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";

import { config } from "#server/config.ts";
import { withDatabase } from "#server/cli/with-database.ts";
import { closePool } from "#server/db/pool.ts";
import { type Appliance, applianceEnv, startAppliance } from "#server/testing/start-appliance.ts";

import { type MailboxCompany, seedMailboxes } from "./seed-mailboxes.ts";
import { reportFindings } from "./summary.ts";

// Measures how long the lists of mailboxes take over HTTP if one company has many, how many mailboxes per second an import
// creates beside requests that create one each, and how long an appliance takes to start: first with none, then with all.
const { values: options } = parseArgs({
  options: {
    mailboxes: { type: "string", default: "10000" },
    requests: { type: "string", default: "40" },
    imported: { type: "string", default: "1000" },
  },
});

const folder = await mkdtemp(join(tmpdir(), "posthouse-bench-"));
let env = await applianceEnv(folder);
Object.assign(process.env, { POSTHOUSE_DATA: folder, DATABASE_URL: "" });
try {
  await timeStart();
  const empty = await timeStart();
  const company = await withDatabase(async (_, url) => {
    config().databaseUrl = url;
    const seeded = await seedMailboxes(Number(options.mailboxes));
    await closePool();
    config().databaseUrl = null;
    return seeded;
  });
  const full = await timeStart(async () => {
    const lists = await measureLists(company);
    console.table(lists);
    const rates = await measureImport(company);
    console.table(rates);
    reportFindings([
      {
        what: `slowest list of ${options.mailboxes} mailboxes, p95`,
        unit: "ms",
        measured: Math.max(...Object.values(lists).map(({ p95 }) => p95)),
        atMost: 400,
      },
      {
        what: "imported mailboxes",
        unit: "per second",
        measured: rates.import["mailboxes/s"],
        atLeast: 50,
      },
    ]);
  });
  console.table({ "start, ms": { none: empty, [options.mailboxes]: full } });
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Milliseconds until the appliance is ready; it is stopped after `work`. */
async function timeStart(work?: () => Promise<void>): Promise<number> {
  env = await applianceEnv(folder);
  const startedAt = performance.now();
  const appliance: Appliance = startAppliance(env);
  try {
    await appliance.says("Posthouse is ready");
    const took = Math.round(performance.now() - startedAt);
    await work?.();
    return took;
  } finally {
    await appliance.stop();
  }
}

async function measureLists(company: MailboxCompany) {
  const { token, addresses, second } = company;
  const deep = addresses[Math.floor(addresses.length * 0.9)]!;
  const asKey = { authorization: `Bearer ${token}` };
  const asPage = pageHeaders(company);
  const page = "/console/api/mailboxes/list?limit=50";
  const reads: [string, string, Record<string, string>][] = [
    ["GET /mailboxes", "/mailboxes?limit=100", asKey],
    ["GET /mailboxes?after, deep", `/mailboxes?limit=100&after=${deep}`, asKey],
    ["GET /mailboxes?before, deep", `/mailboxes?limit=100&before=${deep}`, asKey],
    ["GET /mailboxes?domain", `/mailboxes?limit=100&domain=${second}`, asKey],
    ["console: first page", page, asPage],
    ["console: deep page", `${page}&after=${deep}`, asPage],
    ["console: by storage", `${page}&sort=-storage`, asPage],
    ["console: by last sign-in", `${page}&sort=sign_in`, asPage],
    ["console: by name", `${page}&sort=name`, asPage],
    ["console: search, many fit", `${page}&search=user`, asPage],
    ["console: search, one fits", `${page}&search=user7777@`, asPage],
    ["console: search by name, last", `${page}&search=zoe+last`, asPage],
    ["console: search, none fits", `${page}&search=nobody+here`, asPage],
    ["console: status", `${page}&status=suspended`, asPage],
    [
      "console: one mailbox",
      `/console/api/mailboxes/get?email=${encodeURIComponent(deep)}`,
      asPage,
    ],
    ["console: options", "/console/api/mailboxes/getOptions", asPage],
    ["console: choose 1,000", "/console/api/mailboxes/select", asPage],
    ["console: units", "/console/api/units/list", asPage],
  ];
  const measured: Record<string, { rows: number; p50: number; p95: number; max: number }> = {};
  for (const [name, path, headers] of reads) measured[name] = await measure(path, headers);
  return measured;
}

/** Milliseconds from the request to the complete response. Any response but a 200 ends the run. */
async function measure(path: string, headers: Record<string, string>) {
  const times: number[] = [];
  let rows = 0;
  for (let i = 0; i < Number(options.requests); i++) {
    const startedAt = performance.now();
    const response = await fetch(`http://127.0.0.1:${env.PORT}${path}`, { headers });
    const body = await response.text();
    times.push(performance.now() - startedAt);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`);
    rows = (JSON.parse(body) as { data?: unknown[] }).data?.length ?? 1;
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => Number(times[Math.floor(share * (times.length - 1))]!.toFixed(1));
  return { rows, p50: at(0.5), p95: at(0.95), max: at(1) };
}

function pageHeaders({ cookie }: MailboxCompany) {
  return { cookie, "sec-fetch-site": "same-origin" };
}

/** Single requests all take about the same time, so a tenth of them is enough. */
async function measureImport(company: MailboxCompany) {
  const count = Number(options.imported);
  const lines = (prefix: string) =>
    Array.from({ length: count }, (_, i) => ({
      number: i + 1,
      email: `${prefix}${i}@${company.second}`,
      name: `Person ${i}`,
    }));
  const singles = lines("single").slice(0, Math.ceil(count / 10));
  const single = await rate(singles.length, async () => {
    for (const { email, name } of singles)
      await change(company, "mailboxes/create", { email, name });
  });
  const imported = await rate(count, async () => {
    const body = { lines: lines("imported") };
    const { id } = await change(company, "mailboxImports/start", body);
    for (let done = 0; done < count;) {
      await setTimeout(100);
      const row = await ask(`/console/api/mailboxImports/get?id=${String(id)}`, {
        headers: pageHeaders(company),
      });
      if (row.failed !== 0) throw new Error(JSON.stringify(row));
      done = row.created as number;
    }
  });
  return {
    "one by one": { "mailboxes/s": single },
    import: { "mailboxes/s": imported, ratio: Number((imported / single).toFixed(1)) },
  };
}

async function rate(count: number, work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Number(((count * 1_000) / (performance.now() - startedAt)).toFixed(1));
}

function change(company: MailboxCompany, path: string, body: object) {
  return ask(`/console/api/${path}`, {
    method: "POST",
    headers: { ...pageHeaders(company), "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function ask(path: string, request: RequestInit): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${env.PORT}${path}`, request);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
