import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";

import { dkimKeys } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";

import { createDkimKey, markKeysSeen, SigningKeyCache } from "./dkim-keys.ts";

afterEach(() => vi.useRealTimers());

const aSigningDomain = async () => aDomain((await aCompany()).id);

const selectorOf = async (cache: SigningKeyCache, id: string) => {
  const signer = (await cache.load([id])).get(id);
  return signer && "keys" in signer ? signer.keys[0]?.selector : signer;
};

test("a rotated key takes effect within 30 seconds", async () => {
  const { id } = await aSigningDomain();
  vi.useFakeTimers({ toFake: ["performance"] });
  const cache = new SigningKeyCache(db());
  const before = await selectorOf(cache, id);
  const { id: next, selector: after } = (await createDkimKey(db(), id, { state: "next" }))!;
  await markKeysSeen(db(), id, { published: [next], gone: [] });
  vi.advanceTimersByTime(29_900);
  expect(await selectorOf(cache, id)).toBe(before);
  vi.advanceTimersByTime(200);
  expect(await selectorOf(cache, id)).toBe(after);
});

test("a missing key and a broken one are looked up again", async () => {
  const { id } = await aSigningDomain();
  const stored = eq(dkimKeys.domainId, id);
  const [{ sealedPrivateKey }] = (await db().select().from(dkimKeys).where(stored)) as [
    typeof dkimKeys.$inferSelect,
  ];
  const cache = new SigningKeyCache(db());
  await db().update(dkimKeys).set({ sealedPrivateKey: "v1.broken" }).where(stored);
  expect(await selectorOf(cache, id)).toBeInstanceOf(Error);
  await db().update(dkimKeys).set({ sealedPrivateKey }).where(stored);
  expect(await selectorOf(cache, id)).toMatch(/^ph1-/);

  const other = await aSigningDomain();
  await db().delete(dkimKeys).where(eq(dkimKeys.domainId, other.id));
  expect(await selectorOf(cache, other.id)).toBeUndefined();
  const { selector } = (await createDkimKey(db(), other.id, { isSeen: true }))!;
  expect(await selectorOf(cache, other.id)).toBe(selector);
});

test("both keys of a domain sign once they are published, and only then", async () => {
  const { id } = await aSigningDomain();
  const keys = async () => {
    const signer = (await new SigningKeyCache(db()).load([id])).get(id);
    return signer && "keys" in signer
      ? signer.keys.map(({ privateKey }) => privateKey.asymmetricKeyType)
      : signer;
  };
  expect(await keys()).toEqual(["rsa"]);
  const other = (await createDkimKey(db(), id, { algorithm: "ed25519" }))!;
  expect(await keys()).toEqual(["rsa"]);
  await markKeysSeen(db(), id, { published: [other.id], gone: [] });
  expect(await keys()).toEqual(["rsa", "ed25519"]);
  await markKeysSeen(db(), id, { published: [], gone: [other.id] });
  expect(await keys()).toEqual(["rsa"]);
  await db().update(dkimKeys).set({ seenAt: null }).where(eq(dkimKeys.domainId, id));
  expect(await keys()).toEqual([]);
});
