import { randomUUID } from "node:crypto";

import { beforeAll, expect, test } from "vitest";

import { emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, anApiKey } from "#server/testing/factories.ts";

import {
  NO_FILTERS as ANY,
  type EmailFilters,
  searchEmails,
  WITHOUT_KEY,
} from "./search-emails.ts";

const FIRST = { limit: 20, after: null, before: null };
/** Three emails per step, and one step per call. */
const SMALL = { step: 3, stepsMax: 1 };

const minute = (n: number) => new Date(Date.UTC(2026, 0, 5, 10, n)).toISOString();

let ctx: Context;
let domainId: string;
let keyId: string;
/** By position, the oldest at 0. */
const ids: string[] = [];

beforeAll(async () => {
  const { id: companyId } = await aCompany();
  ctx = aContext(companyId);
  domainId = (await aDomain(companyId)).id;
  keyId = (await anApiKey(companyId)).id;
  await write(companyId, 0, { to: ["ann@one.example"], subject: "Your Receipt Ü7", domainId });
  await write(companyId, 1, { cc: ["ben@two.example"], lastEvent: "bounced", apiKeyId: keyId });
  await write(companyId, 2, { bcc: ["cy@three.example"], lastEvent: "failed" });
  await write(companyId, 3, { tags: [{ name: "order", value: "7" }] });
  await write(companyId, 4, { tags: [{ name: "order", value: "8" }] });
  for (let place = 5; place < 10; place++) await write(companyId, place, {});
  await write((await aCompany()).id, 11, { to: ["ann@one.example"], lastEvent: "bounced" });
});

async function write(
  companyId: string,
  place: number,
  fields: Partial<typeof emails.$inferInsert>,
): Promise<void> {
  const id = `01900000-0000-7000-8000-${randomUUID().slice(-12)}`;
  ids[place] = id;
  await db()
    .insert(emails)
    .values({
      id,
      companyId,
      from: "a@x.example",
      subject: "Hello",
      to: ["zoe@else.example"],
      lastEvent: "delivered" as const,
      createdAt: minute(place),
      ...fields,
    });
}

const placesOf = (rows: { id: string }[]) => rows.map(({ id }) => ids.indexOf(id));

test.each<[string, Partial<EmailFilters>, number[]]>([
  ["nothing asked", {}, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]],
  ["part of a recipient in to", { recipient: "NN@one" }, [0]],
  ["in cc", { recipient: "ben@two.example" }, [1]],
  ["in bcc", { recipient: "three" }, [2]],
  ["nothing across two addresses", { recipient: "examplezoe" }, []],
  ["an address that is a pattern", { recipient: "%" }, []],
  ["words of a subject in any order and case", { subject: "ü7 receipt" }, [0]],
  ["all words", { subject: "receipt invoice" }, []],
  ["a state", { states: ["bounced"] }, [1]],
  ["several states", { states: ["bounced", "failed"] }, [2, 1]],
  ["a tag's name", { tag: { name: "order", value: null } }, [4, 3]],
  ["a tag's value", { tag: { name: "order", value: "8" } }, [4]],
  ["a value of another tag", { tag: { name: "8", value: null } }, []],
  ["no key", { apiKeyId: WITHOUT_KEY, states: ["bounced", "failed"] }, [2]],
  ["part of a recipient as text", { text: "three" }, [2]],
  ["words of a subject as text", { text: "ü7 RECEIPT" }, [0]],
  ["text in neither", { text: "receipt one" }, []],
  ["text and a state", { text: "two.example", states: ["failed"] }, []],
  ["text that Postgres cannot take", { text: "\0zz\ud800" }, []],
  ["from a moment on", { from: new Date(minute(8)) }, [9, 8]],
  ["before a moment", { to: new Date(minute(2)) }, [1, 0]],
  ["both", { from: new Date(minute(1)), to: new Date(minute(3)), states: ["failed"] }, [2]],
  ["what Postgres cannot take", { recipient: "\0", subject: "\ud800" }, []],
])("finds by %s", async (_, filters, places) => {
  const { rows, hasMore, searchedTo } = await searchEmails(ctx, FIRST, { ...ANY, ...filters });
  expect({ places: placesOf(rows), hasMore, searchedTo }).toEqual({
    places,
    hasMore: false,
    searchedTo: null,
  });
});

test("finds an email by its ID or Message-ID in the primary key, however old", async () => {
  for (const text of [ids[0]!, ids[0]!.toUpperCase(), `<${ids[0]}@x.example>`]) {
    const { rows, searchedTo } = await searchEmails(ctx, FIRST, { ...ANY, text }, SMALL);
    expect([placesOf(rows), searchedTo]).toEqual([[0], null]);
  }
  for (const text of [ids[0]!.slice(0, 35), ids[11]!, `${ids[0]} receipt`]) {
    const { rows } = await searchEmails(ctx, FIRST, { ...ANY, text });
    expect(rows).toEqual([]);
  }
});

test("finds by domain and by key, and returns the key's name", async () => {
  const byDomain = await searchEmails(ctx, FIRST, { ...ANY, domainId });
  expect(placesOf(byDomain.rows)).toEqual([0]);
  expect(byDomain.rows[0]!.apiKey).toBeNull();
  const byKey = await searchEmails(ctx, FIRST, { ...ANY, apiKeyId: keyId });
  expect(placesOf(byKey.rows)).toEqual([1]);
  expect(byKey.rows[0]!.apiKey).toBe("Test key");
});

test("searches for rare emails in steps, and each response says where the next one starts", async () => {
  const filters = { ...ANY, states: ["bounced" as const, "failed" as const] };
  const steps = [];
  let after: string | null = null;
  for (;;) {
    const found = await searchEmails(ctx, { ...FIRST, after }, filters, SMALL);
    steps.push({
      found: placesOf(found.rows),
      to: found.searchedTo ? ids.indexOf(found.searchedTo.id) : null,
    });
    expect(found.hasMore).toBe(found.searchedTo !== null);
    if (!found.searchedTo) break;
    after = found.searchedTo.id;
  }
  expect(steps).toEqual([
    { found: [], to: 7 },
    { found: [], to: 4 },
    { found: [2, 1], to: 1 },
    { found: [], to: null },
  ]);
});

test("takes several steps per request within its limits", async () => {
  const filters = { ...ANY, states: ["bounced" as const] };
  const found = await searchEmails(ctx, FIRST, filters, { step: 3, stepsMax: 9 });
  expect(placesOf(found.rows)).toEqual([1]);
  expect(found.searchedTo).toBeNull();
});

test("stops at a full page, and pages in both directions", async () => {
  const filters = { ...ANY, states: ["delivered" as const] };
  const page = { limit: 3, after: null, before: null };
  const first = await searchEmails(ctx, page, filters, { step: 2, stepsMax: 9 });
  expect([placesOf(first.rows), first.hasMore]).toEqual([[9, 8, 7], true]);
  expect(first.searchedTo).toBeNull();
  const second = await searchEmails(ctx, { ...page, after: ids[7]! }, filters);
  expect([placesOf(second.rows), second.hasMore]).toEqual([[6, 5, 4], true]);
  const back = await searchEmails(ctx, { ...page, before: ids[4]! }, filters);
  expect([placesOf(back.rows), back.hasMore]).toEqual([[7, 6, 5], true]);
  const steps = await searchEmails(ctx, { ...page, before: ids[0]! }, filters, SMALL);
  expect([placesOf(steps.rows), ids.indexOf(steps.searchedTo!.id)]).toEqual([[3], 3]);
});

test("rejects a cursor of another company and an unknown one", async () => {
  for (const after of [ids[11]!, "x", randomUUID()])
    await expect(searchEmails(ctx, { ...FIRST, after }, ANY)).rejects.toThrow(
      "Invalid pagination cursor",
    );
});
