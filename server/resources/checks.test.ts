import { expect, test, vi } from "vitest";

import { systemChecks } from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { checksConsole } from "./checks.ts";

type Checks = { data: { name: string; state: string | null; isRunning: boolean }[] };

const cookieOf = async (isOperator: boolean) =>
  startSession(db(), (await anAdmin((await aCompany()).id, { isOwner: true, isOperator })).id);

test("opening the page starts checks whose results arrive one by one; running them again updates the results", async () => {
  const cookie = await cookieOf(true);
  const read = async () => (await call(checksConsole.list, { cookie })).body as Checks;

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
  expect(await call(checksConsole.run, { cookie })).toMatchObject({ status: 200 });
  await vi.waitFor(ended, { timeout: 30_000, interval: 100 });
  const rows = await db().select().from(systemChecks);
  const after = rows.find(({ name }) => name === before!.name)!;
  expect(after.checkedAt! > before!.checkedAt!).toBe(true);
});

test.each([checksConsole.list, checksConsole.run])(
  "rejects an owner who is not an operator: %#",
  async (endpoint) => {
    expect(await call(endpoint, { cookie: await cookieOf(false) })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  },
);
