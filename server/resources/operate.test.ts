import { eq, sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";

import { processes, suppressions, systemChecks } from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, anAdmin, aProcess, aSuppression } from "#server/testing/factories.ts";
import { anOperatorSession, anOwnerSession } from "#server/testing/operators.ts";

import { operateConsole } from "./operate.ts";

describe("the health page", () => {
  type Health = {
    processes: { role: string; isAlive: boolean; pid: number; rssBytes: number }[];
    jobs: { failing: { task: string; error: string }[] };
  };
  const health = async () =>
    (await callFromPage(operateConsole.getHealth, { cookie: (await anOperatorSession()).cookie }))
      .body as Health;

  test("running processes are listed, stopped ones removed and killed ones reported", async () => {
    const end = await registerProcess(db(), "worker");
    await aProcess({
      role: "mail",
      facts: { rssBytes: 1, loopDelayP99Ms: 0, loopDelayMaxMs: 0, node: "v24" },
      aliveUntil: sql`now() - interval '1 minute'`,
    });

    const { processes: seen } = await health();
    expect(seen).toMatchObject([
      { role: "mail", isAlive: false },
      { role: "worker", isAlive: true, pid: process.pid },
    ]);
    expect(seen[1]!.rssBytes).toBeGreaterThan(1e6);
    await end();

    expect((await health()).processes).toMatchObject([{ role: "mail" }]);
    await db()
      .update(processes)
      .set({ aliveUntil: sql`now() - interval '2 hours'` });
    const isListed = () => db().$count(processes, eq(processes.host, "elsewhere"));
    await (
      await registerProcess(db(), "web")
    )();
    expect(await isListed()).toBe(1);
    await (
      await registerProcess(db(), "mail")
    )();
    expect(await isListed()).toBe(0);
  });

  test("Postgres, disk, queue, failing jobs and certificate are reported, also while Dovecot is down", async () => {
    await db().execute(sql`
    select graphile_worker.add_job('rotate_dkim_keys', json_build_object(), job_key => 'it fails')`);
    await db().execute(sql`
    update graphile_worker._private_jobs set attempts = 3, last_error = E'no room\n    at x.ts:1'
    where key = 'it fails'`);

    expect(await health()).toMatchObject({
      database: { version: expect.stringMatching(/^1\d/) as string },
      disk: { totalBytes: expect.any(Number) as number },
      queue: { waiting: 0 },
      jobs: { failing: [{ task: "rotate_dkim_keys", attempts: 3, error: "no room" }] },
      dovecot: null,
      certificate: { isSelfSigned: true },
    });
  });

  test("raised alarms and the largest tables are reported", async () => {
    const { updateAlarms } = await import("#server/core/operations/alarms/alarms.ts");
    const disk = {
      name: "disk",
      severity: "warning" as const,
      found: "9% free",
      advice: "Free it",
    };
    await updateAlarms(db(), [disk]);
    const tables = expect.arrayContaining([
      { name: expect.any(String) as string, bytes: expect.any(Number) as number },
    ]) as unknown;
    expect(await health()).toMatchObject({ alarms: [disk], database: { tables } });
    await updateAlarms(db(), [], { clearAfterSeconds: 0 });
    expect(await health()).toMatchObject({ alarms: [] });
  });
});

describe("checks", () => {
  type Checks = { data: { name: string; state: string | null; isRunning: boolean }[] };

  const cookieOf = async (isOperator: boolean) =>
    startSession(db(), (await anAdmin((await aCompany()).id, { isOwner: true, isOperator })).id);

  test("opening the page starts checks whose results arrive one by one; running them again updates the results", async () => {
    const cookie = await cookieOf(true);
    const read = async () => (await call(operateConsole.listChecks, { cookie })).body as Checks;

    const first = await read();
    expect(first.data.map(({ name }) => name)).toContain("port_out");
    expect(first.data.every((check) => check.isRunning || check.state !== null)).toBe(true);
    const ended = async () => {
      const { data } = await read();
      expect(data.filter(({ isRunning }) => isRunning)).toEqual([]);
      return data;
    };
    const found = await vi.waitFor(ended, { timeout: 30_000, interval: 100 });
    expect(found).toContainEqual(
      expect.objectContaining({
        name: "database",
        found: expect.stringMatching(/^Postgres \d/) as string,
      }),
    );
    expect(found.every(({ state }) => state !== null)).toBe(true);

    const [before] = await db().select().from(systemChecks);
    expect((await read()).data.every(({ isRunning }) => !isRunning)).toBe(true);
    expect(await call(operateConsole.runChecks, { cookie })).toMatchObject({ status: 200 });
    await vi.waitFor(ended, { timeout: 30_000, interval: 100 });
    const rows = await db().select().from(systemChecks);
    const after = rows.find(({ name }) => name === before!.name)!;
    expect(after.checkedAt! > before!.checkedAt!).toBe(true);
  });

  test.each([operateConsole.listChecks, operateConsole.runChecks])(
    "rejects an owner who is not an operator: %#",
    async (endpoint) => {
      expect(await call(endpoint, { cookie: await cookieOf(false) })).toMatchObject({
        status: 403,
        body: { name: "invalid_permission" },
      });
    },
  );
});

describe("erasing a person", () => {
  const erase = (cookie: string, address: string, options: { keepSuppressions?: boolean } = {}) =>
    callFromPage(operateConsole.erasePerson, { cookie, body: { address, ...options } });

  test("an operator erases a person, other owners can't", async () => {
    const company = await aCompany();
    await aSuppression(company.id, { email: "ann@erased.test" });
    expect((await erase(await anOwnerSession(company.id), "ann@erased.test")).status).toBe(403);
    const { cookie } = await anOperatorSession();
    expect(await erase(cookie, "ann@erased.test")).toMatchObject({
      status: 200,
      body: {
        pseudonym: expect.stringMatching(/@erased\.invalid$/) as string,
        erased: { contacts: 0, emails: 0 },
      },
    });
    expect(await db().$count(suppressions, eq(suppressions.companyId, company.id))).toBe(1);
    expect(await erase(cookie, "ann@erased.test", { keepSuppressions: false })).toMatchObject({
      body: { erased: { suppressions: 1 } },
    });
    expect(await db().$count(suppressions, eq(suppressions.companyId, company.id))).toBe(0);
    expect(await erase(cookie, "x")).toMatchObject({
      status: 422,
      body: { message: '"x" is not an email address' },
    });
  });
});
