import { randomUUID } from "node:crypto";

import { inArray } from "drizzle-orm";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";

import { aliases, domainFindings, groupMembers, groups } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";

import { expandMembers } from "./expand-members.ts";

const OURS = randomUUID();
const GROUPS = ["g0", "g1", "g2", "g3"].map((name) => `${name}@shop.example`);
/** Every kind of member, and the single destination that it resolves to. */
const LEADS: Record<string, string> = {
  "ann@shop.example": "ann@shop.example",
  "ann+x@shop.example": "ann@shop.example",
  "sales@shop.example": "ann@shop.example",
  "sales+y@shop.example": "ann@shop.example",
  "bob@shop.example": "bob@shop.example",
  "rita@rival.example": "rita@rival.example",
  "mia@outside.example": "mia@outside.example",
  "tom@outside.example": "tom@outside.example",
};
const UNKNOWN = ["unknown@shop.example", "off@shop.example", "none@rival.example"];
const FOREIGN = "all@rival.example";

beforeAll(async () => {
  await aCompany({ id: OURS });
  const domain = await aDomain(OURS, { name: "shop.example" });
  const rival = await aDomain((await aCompany()).id, { name: "rival.example" });
  await aMailbox(domain, { address: "ann@shop.example" });
  await aMailbox(domain, {
    address: "bob@shop.example",
    suspendedAt: new Date().toISOString(),
  });
  await aMailbox(rival, { address: "rita@rival.example" });
  await anAlias(domain, "ann@shop.example", "sales@shop.example");
  await anAlias(domain, "ann@shop.example", "off@shop.example");
  await db().update(aliases).set({ active: false }).where(inArray(aliases.address, UNKNOWN));
  for (const address of GROUPS) await aGroup(domain, { address });
  await db()
    .insert(domainFindings)
    .values({ domainId: rival.id, record: "mx", isVerified: true, checkedAt: "2026-01-01" });
  await aGroup(rival, { address: FOREIGN, members: ["rita@rival.example"] });
});

test("lists each mailbox and outside address once", async () => {
  const entry = fc.constantFrom(...Object.keys(LEADS), ...UNKNOWN, ...GROUPS, FOREIGN);
  const lists = fc.tuple(...GROUPS.map(() => fc.uniqueArray(entry, { maxLength: 8 })));
  await fc.assert(
    fc.asyncProperty(lists, async (members) => {
      await db().delete(groupMembers).where(inArray(groupMembers.groupAddress, GROUPS));
      const rows = members.flatMap((list, i) =>
        list.map((member) => ({ groupAddress: GROUPS[i]!, member })),
      );
      if (rows.length > 0) await db().insert(groupMembers).values(rows);

      const found = await expandMembers({ db: db(), companyId: OURS }, [GROUPS[0]!]);

      const all = reachable(new Map(GROUPS.map((group, i) => [group, members[i]!])));
      const places = [...all].flatMap((address) => LEADS[address] ?? []);
      const mailboxes = places.filter((address) => !address.endsWith("outside.example"));
      expect([...found.here.keys()].sort()).toEqual([...new Set(mailboxes)].sort());
      for (const [mailbox, address] of found.here) expect(LEADS[address]).toBe(mailbox);
      expect([...found.outside].sort()).toEqual(
        [...all].filter((address) => isOutside(address)).sort(),
      );
      expect([...found.groups].sort()).toEqual(
        [...all].filter((address) => GROUPS.includes(address)).sort(),
      );
      expect(found.foreignGroups).toEqual(new Set(all.has(FOREIGN) ? [FOREIGN] : []));
    }),
    { numRuns: 60 },
  );
});

/** Includes local addresses that don't exist; the worker records them as undeliverable. */
const isOutside = (address: string) =>
  address.endsWith("outside.example") || UNKNOWN.includes(address);

/** A simple reference implementation: the first group and everything its members resolve to. */
function reachable(members: Map<string, string[]>): Set<string> {
  const all = new Set([GROUPS[0]!]);
  for (const address of all) for (const member of members.get(address) ?? []) all.add(member);
  return all;
}

test("a disabled group has no members", async () => {
  await db().delete(groupMembers).where(inArray(groupMembers.groupAddress, GROUPS));
  await db()
    .insert(groupMembers)
    .values([
      { groupAddress: GROUPS[0]!, member: GROUPS[1]! },
      { groupAddress: GROUPS[1]!, member: "bob@shop.example" },
    ]);
  await db()
    .update(groups)
    .set({ active: false })
    .where(inArray(groups.address, [GROUPS[1]!]));
  expect((await expandMembers({ db: db(), companyId: OURS }, [GROUPS[0]!])).here.size).toBe(0);
});
