import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";

import {
  apiKeys,
  auditEntries,
  deletedItems,
  emails,
  quarantine,
  requestLog,
  sessions,
  suppressions,
  templates,
} from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { call } from "#server/testing/call.ts";
import { anOwnersSession } from "#server/testing/console-mailboxes.ts";
import {
  aCompany,
  aDomain,
  aGroup,
  anAdmin,
  anApiKey,
  aTemplate,
  aWebhook,
} from "#server/testing/factories.ts";

import { apiKeysConsole } from "./api-keys.ts";
import { auditConsole } from "./audit/console.ts";
import { deletedItemsConsole } from "./deleted-items.ts";
import { domainsConsole } from "./domains/console.ts";
import { emailsConsole } from "./emails/console.ts";
import { groupsConsole } from "./groups.ts";
import { logsConsole } from "./logs.ts";
import { quarantineConsole } from "./quarantine.ts";
import { suppressionsConsole } from "./suppressions/console.ts";
import { teamConsole } from "./team.ts";
import { templatesConsole } from "./templates/console.ts";
import { webhooksConsole } from "./webhooks/console.ts";

// Three objects of each kind, created one after the other, whose names and other keys are in other orders.

const day = (date: number) => `2026-03-0${date}T12:00:00.000Z`;

/** Creation, name, and the list's third key. */
const ROWS = [
  { at: day(1), name: "Lima", third: 2 },
  { at: day(2), name: "kilo", third: 3 },
  { at: day(3), name: "Mike", third: 1 },
] as const;

const BY_CREATION = ["lima", "kilo", "mike"];
const BY_NAME = ["kilo", "lima", "mike"];
const BY_THIRD = ["mike", "lima", "kilo"];

let cookie: string;
let others: string;

beforeAll(async () => {
  const { id: companyId } = await aCompany();
  others = await anOwnersSession((await aCompany()).id);
  const domain = await aDomain(companyId, { name: "mike.example", createdAt: day(3) });
  for (const { at, name, third } of ROWS) {
    const slug = name.toLowerCase();
    const common = { companyId, createdAt: at };
    if (slug !== "mike") await aDomain(companyId, { name: `${slug}.example`, createdAt: at });
    const members = Array.from({ length: third }, (_, i) => `${slug}${i}@x.example`);
    await aGroup(domain, { address: `${slug}@mike.example`, name, members });
    await aWebhook(companyId, { endpoint: `https://${slug}.example/`, createdAt: at });
    const admin = await anAdmin(companyId, {
      email: `${slug}@team.example`,
      name,
      isOwner: true,
      createdAt: at,
    });
    const session = (await startSession(db(), admin.id)).split(";")[0]!;
    // The requests of this test keep this admin the last one seen.
    if (third === 3) cookie = session;
    await db()
      .update(sessions)
      .set({ lastUsedAt: sql`now() - ${4 - third}::int * interval '1 minute'` })
      .where(eq(sessions.userId, admin.id));
    const key = await anApiKey(companyId, { creatorId: admin.id });
    await db()
      .update(apiKeys)
      .set({ name, createdAt: at, lastUsedAt: third === 1 ? null : day(third) })
      .where(eq(apiKeys.id, key.id));
    const template = await aTemplate(companyId, { name });
    await db()
      .update(templates)
      .set({ createdAt: at, updatedAt: day(third) })
      .where(eq(templates.id, template.id));
    await db()
      .insert(suppressions)
      .values({ ...common, email: `${slug}@example.org`, origin: "manual" });
    await db()
      .insert(requestLog)
      .values({ ...common, method: "GET", endpoint: `/${slug}`, responseStatus: 200 });
    await db()
      .insert(emails)
      .values({
        ...common,
        id: randomUUID(),
        lastEvent: "sent",
        from: "a@x.example",
        to: [`${slug}@x.example`],
        subject: slug,
      });
    await db()
      .insert(quarantine)
      .values({
        ...common,
        reason: "spam",
        sender: `${slug}@x.example`,
        recipients: [],
        size: 1,
      });
    await db()
      .insert(deletedItems)
      .values({
        ...common,
        kind: "group",
        name: `${slug}@gone.example`,
        domainId: domain.id,
        isReserved: false,
        contents: {},
        deletedBy: "a",
      });
  }
  // Only what is dated: the factories have written entries too.
  await db().delete(auditEntries).where(eq(auditEntries.companyId, companyId));
  for (const { at, name } of ROWS)
    await db().insert(auditEntries).values({
      companyId,
      createdAt: at,
      actor: name.toLowerCase(),
      actorKind: "admin",
      action: "role.created",
      details: {},
    });
});

/** The rows' names: the first of the three that a row mentions. */
const namesIn = (rows: unknown[]) =>
  rows.map((row) => /lima|kilo|mike/i.exec(JSON.stringify(row))![0].toLowerCase());

async function read(endpoint: AnyEndpoint, query: Record<string, string>) {
  const { status, body } = await call(endpoint, { cookie, query });
  expect(status).toBe(200);
  return body as {
    data: { id: string }[];
    hasMore: boolean;
    counts: { before: number; total: number };
  };
}

const lists: [string, AnyEndpoint, string, string[]][] = [
  ["API keys", apiKeysConsole.list, "created", BY_CREATION],
  ["API keys", apiKeysConsole.list, "name", BY_NAME],
  ["API keys", apiKeysConsole.list, "used", BY_THIRD],
  ["audit entries", auditConsole.list, "created", BY_CREATION],
  ["deleted items", deletedItemsConsole.list, "created", BY_CREATION],
  ["domains", domainsConsole.list, "created", BY_CREATION],
  ["domains", domainsConsole.list, "name", BY_NAME],
  ["emails", emailsConsole.list, "created", BY_CREATION],
  ["groups", groupsConsole.list, "address", BY_NAME],
  ["groups", groupsConsole.list, "name", BY_NAME],
  ["groups", groupsConsole.list, "members", BY_THIRD],
  ["requests", logsConsole.list, "created", BY_CREATION],
  ["quarantined messages", quarantineConsole.list, "created", BY_CREATION],
  ["suppressions", suppressionsConsole.list, "created", BY_CREATION],
  ["admins", teamConsole.list, "email", BY_NAME],
  ["admins", teamConsole.list, "name", BY_NAME],
  ["admins", teamConsole.list, "seen", BY_THIRD],
  ["templates", templatesConsole.list, "created", BY_CREATION],
  ["templates", templatesConsole.list, "changed", BY_THIRD],
  ["templates", templatesConsole.list, "name", BY_NAME],
  ["webhooks", webhooksConsole.list, "created", BY_CREATION],
  ["webhooks", webhooksConsole.list, "endpoint", BY_NAME],
];

describe.each(lists)("%s", (_, endpoint, key, ascending) => {
  test.each([
    [key, ascending],
    [`-${key}`, ascending.toReversed()],
  ])("are sorted by %s, counted, and paged in both directions", async (sort, expected) => {
    const all = await read(endpoint, { sort });
    expect(namesIn(all.data)).toEqual(expected);
    expect(all.counts).toMatchObject({ before: 0, total: 3 });
    const [first, second, third] = all.data.map(({ id }) => id);
    const next = await read(endpoint, { sort, limit: "1", after: first! });
    expect(next).toMatchObject({ data: [{ id: second }], hasMore: true, counts: { before: 1 } });
    const last = await read(endpoint, { sort, limit: "1", after: second! });
    expect(last).toMatchObject({ data: [{ id: third }], hasMore: false, counts: { before: 2 } });
    const back = await read(endpoint, { sort, limit: "1", before: third! });
    expect(back).toMatchObject({ data: [{ id: second }], hasMore: true, counts: { before: 1 } });
  });
});

test("an unknown order is rejected", async () => {
  const { status } = await call(groupsConsole.list, { cookie, query: { sort: "size" } });
  expect(status).toBe(422);
});

const exports: [string, AnyEndpoint, string, string[], Record<string, string>][] = [
  ["audit-log.csv", auditConsole.export, "created", BY_CREATION, { search: "kilo" }],
  ["emails.csv", emailsConsole.export, "created", BY_CREATION, { subject: "kilo" }],
  ["groups.csv", groupsConsole.export, "-members", BY_THIRD.toReversed(), { search: "kilo" }],
  ["requests.csv", logsConsole.export, "created", BY_CREATION, { endpoint: "/kilo" }],
  ["suppressions.csv", suppressionsConsole.export, "created", BY_CREATION, { search: "kilo" }],
  ["team.csv", teamConsole.export, "-name", BY_NAME.toReversed(), { search: "kilo" }],
];

test.each(exports)(
  "%s has the list, sorted and filtered",
  async (file, endpoint, sort, names, one) => {
    const rowsOf = async (as: string, query: Record<string, string>) => {
      const { body, headers } = await call(endpoint, { cookie: as, query });
      expect(headers.get("content-disposition")).toContain(`filename="${file}"`);
      return String(body).trimEnd().split("\r\n").slice(1);
    };
    expect(namesIn(await rowsOf(cookie, { sort }))).toEqual(names);
    expect(namesIn(await rowsOf(cookie, one))).toEqual(["kilo"]);
    expect((await rowsOf(others, {})).join("\n")).not.toMatch(/lima|kilo|mike/i);
  },
);
