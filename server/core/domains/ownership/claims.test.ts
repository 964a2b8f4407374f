import { randomBytes } from "node:crypto";

import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import { auditEntries, domainClaims, domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { forgetDeleted } from "#server/core/shared/deleted-items/deleted-items.ts";
import { db } from "#server/db/pool.ts";
import { backdateClaim } from "#server/testing/claimed-domains.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { addDomain, getDomain, listDomains } from "#server/core/domains/domains/domains.ts";
import { deleteDomain } from "#server/core/domains/domains/deleted-domains.ts";
import { expireClaims } from "./claims.ts";
import { markOwnershipVerified } from "./ownership.ts";

// A company has seven days from first adding a name to verify its ownership.

const DAY_MS = 86_400_000;
const API = { via: "api" } as const;

let ann: Context;
let ben: Context;
let name: string;

beforeEach(async () => {
  ann = aContext((await aCompany()).id);
  ben = aContext((await aCompany()).id);
  name = `${randomBytes(6).toString("hex")}.test`;
});

const add = async (ctx: Context) => (await addDomain(ctx, { name }, API)).domain;
/** For all companies that added the name. */
const wait = async (days: number) => {
  for (const { companyId } of [ann, ben]) await backdateClaim({ companyId, name }, days);
};
const namesOf = async (ctx: Context) =>
  (await listDomains(ctx, { limit: 100, after: null, before: null })).rows.map((row) => row.name);
const refusal = (reason: string, message: RegExp) =>
  expect.objectContaining({ reason, message: expect.stringMatching(message) as string }) as Error;
async function refusedUntil(ctx: Context, words: string): Promise<number> {
  const error: unknown = await add(ctx).catch((error: unknown) => error);
  expect(error).toMatchObject({ reason: "not_allowed" });
  const { message } = error as Error;
  expect(message).toContain(words);
  return Date.parse(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/.exec(message)![0]);
}
const auditOf = async ({ companyId }: Context) =>
  (
    await db()
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.companyId, companyId))
      .orderBy(auditEntries.createdAt)
  ).map(({ action }) => action);

const HELD = "Another company has added";
const BARRED = "ended while another company was waiting";

describe("a name that another company has claimed", () => {
  test("is rejected, with the time from which it can be added", async () => {
    const { createdAt } = await add(ann);

    const until = await refusedUntil(ben, HELD);

    expect(Math.abs(until - Date.parse(createdAt) - 7 * DAY_MS)).toBeLessThan(1_000);
  });

  test("can be added from that time on", async () => {
    await add(ann);
    await refusedUntil(ben, HELD);
    await wait(6.99);
    await refusedUntil(ben, HELD);
    await wait(0.02);

    expect((await add(ben)).status).toBe("not_started");
  });

  test("can be added as soon as the other company deletes it", async () => {
    const { id } = await add(ann);
    await refusedUntil(ben, HELD);
    await deleteDomain(ann, id, API);

    await add(ben);

    await refusedUntil(ann, HELD);
  });

  test("is rejected permanently once its ownership is verified", async () => {
    const domain = await add(ann);
    await markOwnershipVerified(ann, domain);
    await wait(30);

    await expect(add(ben)).rejects.toThrow(
      refusal("not_allowed", /already registered by another company/),
    );
    await expect(add(ann)).rejects.toThrow(refusal("not_allowed", /already one of your domains/));
  });
});

describe("a name that two companies have added, each with its own record in DNS", () => {
  test("belongs to the company that verifies it first; the other gets an error", async () => {
    const first = await add(ann);
    const [second] = await db()
      .insert(domains)
      .values({ companyId: ben.companyId, name, ownershipToken: "theirs" })
      .returning();
    const proofs = [markOwnershipVerified(ann, first), markOwnershipVerified(ben, second!)];

    const results = await Promise.allSettled(proofs);

    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({
      reason: refusal("invalid", /^Another company has verified the ownership of/),
    });
    const left = await db().select().from(domains).where(eq(domains.name, name));
    expect(left).toHaveLength(1);
    const [loser] = [ann, ben].filter(({ companyId }) => companyId !== left[0]!.companyId);
    expect(await auditOf(loser!)).toContain("domain.expired");
  });
});

describe("the seven days", () => {
  test("expire immediately for all companies, before any task has run", async () => {
    const { id } = await add(ann);
    expect(await namesOf(ann)).toEqual([name]);
    await wait(7);

    expect(await namesOf(ann)).toEqual([]);
    await expect(getDomain(ann, id)).rejects.toThrow(refusal("not_found", /^Domain not found$/));
    await expect(deleteDomain(ann, id, API)).rejects.toThrow(refusal("not_found", /./));
    await expect(listDomains(ann, { limit: 1, after: id, before: null })).rejects.toThrow(
      "Invalid pagination cursor",
    );
  });

  test("do not restart when the domain is deleted and added again", async () => {
    const first = await add(ann);
    await wait(3);
    await deleteDomain(ann, first.id, API);
    const second = await add(ann);
    await wait(4);

    await expect(getDomain(ann, second.id)).rejects.toThrow(refusal("not_found", /./));
  });

  test("restart when the domain is added again after they expired", async () => {
    await add(ann);
    await wait(7);
    const { id } = await add(ann);
    await wait(6.9);

    expect((await getDomain(ann, id)).domain.id).toBe(id);
    await wait(0.2);
    await expect(getDomain(ann, id)).rejects.toThrow(refusal("not_found", /./));
  });

  test("do not end a domain whose ownership is verified", async () => {
    const domain = await add(ann);
    await markOwnershipVerified(ann, domain);
    await wait(30);
    await expireClaims(db());

    expect((await getDomain(ann, domain.id)).domain.name).toBe(name);
  });

  test("restart after a verified domain was deleted for good", async () => {
    const domain = await add(ann);
    await markOwnershipVerified(ann, domain);
    const { deletedId } = await deleteDomain(ann, domain.id, API);
    await forgetDeleted(ann, deletedId!);
    await wait(6);
    const { id } = await add(ann);
    await wait(2);

    expect((await getDomain(ann, id)).domain.name).toBe(name);
  });
});

describe("after the company's own seven days", () => {
  test("it can add the name at once if no company waited", async () => {
    await add(ann);
    await wait(8);

    expect((await add(ann)).name).toBe(name);
  });

  test("it is barred for seven days if a company waited, and the error says until when", async () => {
    await add(ann);
    await refusedUntil(ben, HELD);
    await wait(8);

    const until = await refusedUntil(ann, BARRED);

    expect(Math.abs(until - Date.now() - 6 * DAY_MS)).toBeLessThan(5_000);
    await wait(5.99);
    await refusedUntil(ann, BARRED);
    await wait(0.02);
    expect((await add(ann)).name).toBe(name);
  });

  test("deleting the domain before they expire does not prevent that", async () => {
    const { id } = await add(ann);
    await refusedUntil(ben, HELD);
    await wait(6.9);
    await deleteDomain(ann, id, API);
    await wait(0.2);

    await refusedUntil(ann, BARRED);
  });

  test("it is not barred once the other company has added the name", async () => {
    await add(ann);
    await refusedUntil(ben, HELD);
    await wait(7);
    const { id } = await add(ben);
    await deleteDomain(ben, id, API);

    expect((await add(ann)).name).toBe(name);
  });

  test("a company that waited only earlier does not count", async () => {
    await add(ann);
    await refusedUntil(ben, HELD);
    await wait(15);
    await add(ann);
    await wait(7);

    expect((await add(ann)).name).toBe(name);
  });

  test("the other company's days start when it first adds the name", async () => {
    await add(ann);
    await refusedUntil(ben, HELD);
    await wait(8);
    await add(ben);

    const until = await refusedUntil(ann, HELD);

    expect(Math.abs(until - Date.now() - 7 * DAY_MS)).toBeLessThan(5_000);
  });
});

describe("cleanup", () => {
  test("deletes only expired domains, as the system", async () => {
    await add(ann);
    await wait(8);
    const kept = await add(ben);
    await expireClaims(db());

    const rows = await db().select().from(domains).where(eq(domains.name, name));
    expect(rows.map(({ id }) => id)).toEqual([kept.id]);
    expect(await auditOf(ann)).toEqual(["domain.added", "domain.expired"]);
    expect(await auditOf(ben)).toEqual(["domain.added"]);
  });

  test("deletes claims that no longer affect any company", async () => {
    const claims = () =>
      db()
        .select()
        .from(domainClaims)
        .where(and(eq(domainClaims.name, name), eq(domainClaims.companyId, ann.companyId)));
    await add(ann);
    await wait(13.9);
    await expireClaims(db());
    expect(await claims()).toHaveLength(1);
    await wait(0.2);
    await expireClaims(db());

    expect(await claims()).toEqual([]);
  });
});
