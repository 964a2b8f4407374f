import { expect, test } from "vitest";

import type { Context } from "#server/core/shared/context.ts";
import { db } from "#server/db/pool.ts";
import { countRowsRead } from "#server/testing/count-rows-read.ts";
import { aCompany, aDomain, aGroup } from "#server/testing/factories.ts";
import { aManager, anOwner } from "#server/testing/team.ts";

import { requireMayTakeOver } from "./require-may-open.ts";

test("groups are only searched for callers who can't change all of them", async () => {
  const { id: companyId } = await aCompany();
  const domain = await aDomain(companyId);
  for (let count = 0; count < 5; count++) await aGroup(domain, { members: ["bob@there.test"] });
  const groupsRead = async (ctx: Context) => {
    const { byScan, byIndex } = await countRowsRead(db(), "groups", (tx) =>
      requireMayTakeOver({ ...ctx, db: tx }, `new@${domain.name}`),
    );
    return byScan + byIndex;
  };
  expect(await groupsRead((await aManager(companyId, ["update_users"])).ctx)).toBeGreaterThan(4);
  expect(await groupsRead((await anOwner(companyId)).ctx)).toBe(0);
});
