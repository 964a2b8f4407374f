import { beforeEach, expect, test } from "vitest";

import { mailHosts, type Mailbox } from "#drizzle/schema/index.ts";
import { createUnit, ensureRootUnit, setPolicies } from "#server/core/mailboxes/org-units/units.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";

import { listSearchStores } from "./search-stores.ts";

beforeEach(() => changeSetting(db(), "full_text_search", "on"));

const isIndexed = async ({ address }: Mailbox, host: string | null = null) =>
  (await listSearchStores(db(), host)).find((each) => each.address === address)?.isIndexed;

test("the nearest unit's policy applies, and only to its company", async () => {
  const domain = await aDomain((await aCompany()).id);
  const ctx = aContext(domain.companyId);
  const root = await ensureRootUnit(ctx);
  const sales = await createUnit(ctx, { parentId: root, name: "Sales" });
  const [inRoot, inSales] = [
    await aMailbox(domain),
    await aMailbox(domain, { orgUnitId: sales }),
  ] as const;
  const theirs = await aMailbox(await aDomain((await aCompany()).id));
  const all = () => Promise.all([inRoot, inSales, theirs].map((each) => isIndexed(each)));
  expect(await all()).toEqual([true, true, true]);
  await setPolicies(ctx, root, { fullTextSearch: "off" });
  expect(await all()).toEqual([false, false, true]);
  await setPolicies(ctx, sales, { fullTextSearch: "on" });
  expect(await all()).toEqual([false, true, true]);
  await changeSetting(db(), "full_text_search", "off");
  expect(await all()).toEqual([false, false, false]);
});

test("lists only the mailboxes that the host stores", async () => {
  await db()
    .insert(mailHosts)
    .values(["mail-1", "mail-2"].map((name) => ({ name, address: "10.0.0.1", certificate: name })));
  const mailbox = await aMailbox(await aDomain((await aCompany()).id), { storeHost: "mail-1" });
  expect([await isIndexed(mailbox, "mail-1"), await isIndexed(mailbox, "mail-2")]).toEqual([
    true,
    undefined,
  ]);
});
