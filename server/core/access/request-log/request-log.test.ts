import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { companies, requestBodies, requestLog } from "#drizzle/schema/index.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import {
  deleteOldRequestBodies,
  deleteOldRequests,
  flushRequestLog,
  listRequests,
  recordRequest,
} from "./request-log.ts";

const entry = (companyId: string, endpoint = "/emails") => ({
  companyId,
  endpoint,
  method: "GET",
  responseStatus: 200,
  error: null as string | null,
  message: null,
  durationMs: 12.5,
  clientAddress: "192.0.2.7",
  userAgent: null,
  apiKeyId: null as string | null,
  body: null as { masked: unknown; size: number } | null,
});

const logOf = (companyId: string) =>
  db()
    .select()
    .from(requestLog)
    .where(eq(requestLog.companyId, companyId))
    .orderBy(requestLog.createdAt, requestLog.id);

test("writes a thousand requests in the order they were answered", async () => {
  const { id } = await aCompany();
  const paths = Array.from({ length: 1_000 }, (_, i) => `/emails/${i}`);
  for (const path of paths) recordRequest(db(), entry(id, path));

  await flushRequestLog();

  expect((await logOf(id)).map(({ endpoint }) => endpoint)).toEqual(paths);
});

test("writes a single request after a short delay", async () => {
  const { id } = await aCompany();
  recordRequest(db(), entry(id));

  await expect.poll(() => logOf(id)).toHaveLength(1);
});

test("keeps entries while the database is unavailable", async () => {
  const { id } = await aCompany();
  const away = connect("postgres://nouser@127.0.0.1:1/none");
  await away.close();
  recordRequest(away.db, entry(id, "/first"));
  await flushRequestLog();

  recordRequest(db(), entry(id, "/second"));
  await flushRequestLog();

  expect((await logOf(id)).map(({ endpoint }) => endpoint)).toEqual(["/first", "/second"]);
});

test("writes entries with invalid text and very long paths", async () => {
  const { id } = await aCompany();
  const userAgent = `a\0b\ud800${"c".repeat(400)}`;
  recordRequest(db(), { ...entry(id, `/${"x".repeat(5_000)}`), userAgent });
  await flushRequestLog();

  const [row] = await logOf(id);
  expect(row!.endpoint).toHaveLength(1_000);
  expect(row!.userAgent).toBe(`a\ufffdb\ufffd${"c".repeat(296)}`);
});

test("drops entries of a deleted company and writes the others", async () => {
  const gone = await aCompany();
  const { id } = await aCompany();
  recordRequest(db(), entry(gone.id));
  recordRequest(db(), entry(id));
  await db().delete(companies).where(eq(companies.id, gone.id));

  await flushRequestLog();

  expect(await logOf(id)).toHaveLength(1);
});

test("deletes entries after 30 days in batches", async () => {
  const { id } = await aCompany();
  const daysAgo = (days: number) => sql`clock_timestamp() - make_interval(days => ${days})`;
  await db()
    .insert(requestLog)
    .values([
      ...Array.from({ length: 2_100 }, () => ({ ...entry(id), createdAt: daysAgo(31) })),
      { ...entry(id, "/young"), createdAt: daysAgo(29) },
    ]);

  expect(await deleteOldRequests(db(), 30)).toBe(2_100);
  expect((await logOf(id)).map(({ endpoint }) => endpoint)).toEqual(["/young"]);
});

const bodiesOf = (companyId: string) =>
  db()
    .select()
    .from(requestBodies)
    .where(eq(requestBodies.companyId, companyId))
    .orderBy(requestBodies.requestId);

const withBody = (companyId: string, apiKeyId: string, text: string) => ({
  ...entry(companyId),
  apiKeyId,
  body: { masked: text, size: text.length },
});

describe("bodies", () => {
  test("are kept for the last 100 requests of each key", async () => {
    const { id } = await aCompany();
    const [busy, quiet] = [randomUUID(), randomUUID()];
    recordRequest(db(), withBody(id, quiet, "a rare request"));
    for (let i = 0; i < 70; i++) recordRequest(db(), withBody(id, busy, `first ${i}`));
    await flushRequestLog();
    for (let i = 0; i < 70; i++) recordRequest(db(), withBody(id, busy, `second ${i}`));
    await flushRequestLog();

    const bodies = (await bodiesOf(id)).map(({ body }) => body);
    expect(bodies).toHaveLength(101);
    expect(bodies.slice(0, 2)).toEqual(["a rare request", "first 40"]);
    expect(bodies.at(-1)).toBe("second 69");
    expect(await logOf(id)).toHaveLength(141);
  });

  test("aren't written for a company that turned this off, or if the setting is off", async () => {
    const { id } = await aCompany();
    await db().update(companies).set({ logsRequestBodies: false }).where(eq(companies.id, id));
    const { id: other } = await aCompany();
    recordRequest(db(), withBody(id, randomUUID(), "x"));
    await flushRequestLog();
    await changeSetting(db(), "log_request_bodies", "off");
    recordRequest(db(), withBody(other, randomUUID(), "x"));
    await flushRequestLog();

    expect(await bodiesOf(id)).toEqual([]);
    expect(await bodiesOf(other)).toEqual([]);
    expect(await logOf(other)).toHaveLength(1);
  });

  test("are deleted after a day, or immediately if the setting is off", async () => {
    const { id } = await aCompany();
    const hoursAgo = (hours: number) => ({
      companyId: id,
      apiKeyId: randomUUID(),
      requestId: randomUUID(),
      body: `${hours}`,
      size: 1,
      createdAt: sql`clock_timestamp() - make_interval(hours => ${hours})`,
    });
    await changeSetting(db(), "log_request_bodies", "on");
    await db()
      .insert(requestBodies)
      .values([hoursAgo(23), hoursAgo(25)]);

    await deleteOldRequestBodies(db(), 1);
    expect(await bodiesOf(id)).toMatchObject([{ body: "23" }]);
    await changeSetting(db(), "log_request_bodies", "off");
    await deleteOldRequestBodies(db(), 1);
    expect(await bodiesOf(id)).toEqual([]);
  });
});

test("logs at most 60 blocked requests of a key in a minute", async () => {
  const { id } = await aCompany();
  const blocked = { ...entry(id), apiKeyId: randomUUID(), error: "ip_not_allowed" };
  for (let i = 0; i < 80; i++) recordRequest(db(), blocked);
  recordRequest(db(), { ...blocked, error: "not_found" });
  await flushRequestLog();

  expect(await logOf(id)).toHaveLength(61);
});

test("the API's list doesn't read the requests that an allow-list blocked", async () => {
  const { id } = await aCompany();
  const row = entry(id);
  const blocked = { ...row, error: "ip_not_allowed" };
  await db().insert(requestLog).values(row);
  for (let i = 0; i < 5; i++)
    await db()
      .insert(requestLog)
      .values(Array.from({ length: 2_000 }, () => blocked));
  await db().execute(sql`analyze ${requestLog}`);

  await db().transaction(async (tx) => {
    const first = { limit: 100, after: null, before: null };
    const { rows } = await listRequests({ ...aContext(id), db: tx }, first);
    expect(rows).toHaveLength(1);
    const [read] = await tx.execute<{ rows: number }>(sql`
      select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
      where relname = 'request_log'`);
    expect(read!.rows).toBeLessThan(10);
  });
});
