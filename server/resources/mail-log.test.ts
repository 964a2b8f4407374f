import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { mailLog } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany } from "#server/testing/factories.ts";
import { anOperatorSession } from "#server/testing/operators.ts";

import { mailLogConsole } from "./mail-log.ts";

let cookie: string;
beforeEach(async () => {
  await db().delete(mailLog);
  ({ cookie } = await anOperatorSession());
});

type Listed = { data: { id: string; recipient: string }[]; next: string | null };
const list = async (query: Record<string, string> = {}) =>
  (await callFromPage(mailLogConsole.list, { cookie, query })).body as Listed;
const ENTRY = { kind: "refused" as const, reply: "550 5.1.1 No such recipient here" };

test("entries are newest first and paged without gaps", async () => {
  await db()
    .insert(mailLog)
    .values(Array.from({ length: 120 }, (_, i) => ({ ...ENTRY, recipient: `${i}@here.test` })));
  const pages = [await list()];
  while (pages.at(-1)!.next) pages.push(await list({ before: pages.at(-1)!.next! }));
  const seen = pages.flatMap(({ data }) => data.map(({ recipient }) => recipient));
  expect(pages).toHaveLength(3);
  expect(seen).toEqual(Array.from({ length: 120 }, (_, i) => `${119 - i}@here.test`));
});

test("entries written late are sorted by when they happened", async () => {
  await db()
    .insert(mailLog)
    .values([
      { ...ENTRY, recipient: "new@here.test" },
      { ...ENTRY, recipient: "late@here.test", createdAt: sql`now() - interval '5 minutes'` },
    ]);
  const { data } = await list();
  expect(data.map(({ recipient }) => recipient)).toEqual(["new@here.test", "late@here.test"]);
});

test("entries are found by address, reply, kind, client, network and company", async () => {
  const { id, name } = await aCompany();
  await db()
    .insert(mailLog)
    .values([
      {
        ...ENTRY,
        recipient: "ann@here.test",
        clientAddress: "192.0.2.7",
        createdAt: sql`now() - interval '2 hours'`,
      },
      {
        kind: "received",
        reply: "250 2.0.0 Accepted",
        recipient: "ben@here.test",
        companyId: id,
        clientAddress: "2001:db8::7",
        sender: "100%_kim@there.test",
        helo: "mx.there.test",
        messageId: "<7@there.test>",
      },
    ]);
  const found = async (query: Record<string, string>) =>
    (await list(query)).data.map(({ recipient }) => recipient.slice(0, 3));
  expect(await found({ search: "ANN@" })).toEqual(["ann"]);
  expect(await found({ search: "100%_K" })).toEqual(["ben"]);
  expect(await found({ search: "no such" })).toEqual(["ann"]);
  expect(await found({ kind: "received" })).toEqual(["ben"]);
  expect(await found({ client: "192.0.2.0/24" })).toEqual(["ann"]);
  expect(await found({ client: "2001:db8::7" })).toEqual(["ben"]);
  expect(await found({ company: id })).toEqual(["ben"]);
  expect(await found({ search: "mx.there" })).toEqual(["ben"]);
  expect(await found({ search: "<7@there.test>" })).toEqual(["ben"]);
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  expect(await found({ from: hourAgo })).toEqual(["ben"]);
  expect(await found({ to: hourAgo })).toEqual(["ann"]);
  expect((await list({ company: id })).data).toMatchObject([{ company: { id, name } }]);
  expect(await found({ company: (await aCompany()).id })).toEqual([]);
});

const INVALID_QUERIES: Record<string, string>[] = [
  { client: "here" },
  { before: "x" },
  { to: "0000-01-01T00:00:00Z" },
  { kind: "other" },
  { company: "x" },
];

test.each(INVALID_QUERIES)("rejects %o", async (query) => {
  expect((await callFromPage(mailLogConsole.list, { cookie, query })).status).toBe(422);
});
