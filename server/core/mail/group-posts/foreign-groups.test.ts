import { beforeAll, expect, test } from "vitest";

import { domainFindings } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aGroup } from "#server/testing/factories.ts";
import { aPost, copiesOf } from "#server/testing/posts.ts";

import { postToGroup } from "./post-to-group.ts";

type Domain = Awaited<ReturnType<typeof aDomain>>;

let domain: Domain;
let rival: Domain;

beforeAll(async () => {
  domain = await aDomain((await aCompany()).id);
  rival = await aDomain((await aCompany()).id);
  await db()
    .insert(domainFindings)
    .values({ domainId: rival.id, record: "mx", isVerified: true, checkedAt: "2026-01-01" });
});

test("another company's group whose MX is elsewhere is an outside address", async () => {
  const { address: theirs } = await aGroup(await aDomain(rival.companyId));
  const { address } = await aGroup(domain, { members: [theirs] });
  await postToGroup(db(), address, aPost());
  const [copy, ...more] = await copiesOf(address);
  expect(more).toEqual([]);
  expect(copy).toMatchObject({ recipients: [theirs] });
  expect(copy!.text).not.toContain("X-Posthouse-");
});
