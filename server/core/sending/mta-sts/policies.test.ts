import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { mtaStsPolicies } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { deleteExpiredPolicies, loadPolicy, storePolicy } from "./policies.ts";

const aPolicy = (domain: string) => ({
  domain,
  policyId: "20261121",
  mode: "enforce" as const,
  mx: ["mx.there.test", "*.there.test"],
  maxAgeSeconds: 3600,
});

/** Backdates the domain's stored policy. */
const age = (domain: string, time: string) =>
  db()
    .update(mtaStsPolicies)
    .set({ expiresAt: sql`expires_at - ${time}::interval` })
    .where(eq(mtaStsPolicies.domain, domain));

test("a policy is valid until its max_age ends, and needs a refresh after half of it", async () => {
  await storePolicy(db(), aPolicy("there.test"));
  expect(await loadPolicy(db(), "there.test")).toMatchObject({
    ...aPolicy("there.test"),
    needsRefresh: false,
  });
  expect(await loadPolicy(db(), "elsewhere.test")).toBeNull();

  await age("there.test", "31 minutes");
  expect(await loadPolicy(db(), "there.test")).toMatchObject({ needsRefresh: true });
  await age("there.test", "30 minutes");
  expect(await loadPolicy(db(), "there.test")).toBeNull();
});

test("a new policy replaces the previous one", async () => {
  await storePolicy(db(), aPolicy("again.test"));
  await age("again.test", "59 minutes");
  await Promise.all([
    storePolicy(db(), { ...aPolicy("again.test"), mode: "testing" }),
    storePolicy(db(), { ...aPolicy("again.test"), mode: "testing" }),
  ]);

  expect(await loadPolicy(db(), "again.test")).toMatchObject({
    mode: "testing",
    needsRefresh: false,
  });
});

test("only expired policies are deleted", async () => {
  await storePolicy(db(), aPolicy("over.test"));
  await age("over.test", "61 minutes");
  await storePolicy(db(), aPolicy("holds.test"));

  await deleteExpiredPolicies(db());

  const domains = (await db().select().from(mtaStsPolicies)).map(({ domain }) => domain);
  expect(domains).toContain("holds.test");
  expect(domains).not.toContain("over.test");
});
