import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { companies, requestLog } from "#drizzle/schema/index.ts";
import { connect } from "#server/db/client.ts";
import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";

import { deleteOldRequests, flushRequestLog, recordRequest } from "./request-log.ts";

const entry = (companyId: string, endpoint = "/emails") => ({
  companyId,
  endpoint,
  method: "GET",
  responseStatus: 200,
  error: null,
  userAgent: null,
  apiKeyId: null,
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
