import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { settings } from "#drizzle/schema/index.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";

import { admitRequest } from "./admit-request.ts";

/** Admits the requested number of requests, keeps them in progress, and reports how many were admitted. */
const PROCESS = `
  import { admitRequest } from "#server/core/platform/limits/admit-request.ts";
  import { registerProcess } from "#server/core/platform/processes/processes.ts";
  import { db } from "#server/db/pool.ts";
  await registerProcess(db(), "web");
  process.on("message", async ({ companyId, count }) => {
    const all = await Promise.all(
      Array.from({ length: count }, () => admitRequest({ db: db(), companyId })));
    process.send(all.filter(({ refusal }) => refusal === null).length);
  });
  process.send("ready");
`;

async function aWebProcess(): Promise<ChildProcess> {
  const child = fork("-", { execArgv: ["--input-type=module", "--eval", PROCESS] });
  await once(child, "message");
  return child;
}

let one: ChildProcess;
let two: ChildProcess;

beforeAll(async () => {
  await db().delete(settings);
  const values = [
    { name: "request_rate_per_second", value: 200 },
    { name: "requests_in_progress", value: 25 },
  ];
  await db().insert(settings).values(values);
  [one, two] = await Promise.all([aWebProcess(), aWebProcess()]);
}, 60_000);

afterAll(() => {
  for (const child of [one, two]) child.kill("SIGKILL");
});

async function admittedBy(child: ChildProcess, companyId: string, count: number) {
  child.send({ companyId, count });
  const [admitted] = (await once(child, "message")) as [number];
  return admitted;
}

const admittedByBoth = async (companyId: string, count: number) => {
  const [a, b] = await Promise.all([one, two].map((child) => admittedBy(child, companyId, count)));
  return a! + b!;
};

test("two processes share one rate", async () => {
  const { id } = await aCompany();
  const ahead = sql`(extract(epoch from clock_timestamp()) + 5) * 1000000`;
  await db().execute(sql`
    insert into company_traffic (company_id, hits, hit_counts)
    values (${id}, array[${ahead}]::bigint[], array[190])`);

  expect(await admittedByBoth(id, 20)).toBe(10);
});

test("two processes share the requests in progress; a killed process keeps its slots until it is considered dead", async () => {
  const { id } = await aCompany();
  expect(await admittedByBoth(id, 20)).toBe(25);

  one.kill("SIGKILL");
  await once(one, "exit");
  const end = await registerProcess(db(), "web");
  onTestFinished(end);
  const admit = async () => (await admitRequest({ db: db(), companyId: id })).refusal === null;
  expect(await admit()).toBe(false);
  await db().execute("update processes set alive_until = clock_timestamp() - interval '1 second'");

  expect(await admit()).toBe(true);
});
