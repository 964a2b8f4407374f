import { runOnce } from "graphile-worker";
import { expect, test } from "vitest";

import { auditEntries, domains } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { enqueue } from "#server/jobs/enqueue.ts";
import { backdateClaim } from "#server/testing/claimed-domains.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";

import { taskList } from "./tasks.ts";

test("expire_domain_claims deletes domains after seven days, and no others", async () => {
  const { id } = await aCompany();
  const unproven = { ownershipProvenAt: null, status: "pending" } as const;
  const proven = await aDomain(id);
  const open = await aDomain(id, unproven);
  const over = await aDomain(id, unproven);
  const elsewhere = await aDomain((await aCompany()).id, unproven);
  for (const domain of [proven, over, elsewhere]) await backdateClaim(domain, 8);
  await backdateClaim(open, 6);

  await enqueue(db(), "expire_domain_claims", {});
  await runOnce({ connectionString: process.env.DATABASE_URL!, taskList, noHandleSignals: true });

  const left = (await db().select().from(domains)).map(({ name }) => name);
  expect(left.sort()).toEqual([proven.name, open.name].sort());
  const entries = await db().select().from(auditEntries);
  expect(entries.map(({ companyId, action, details }) => ({ companyId, action, details }))).toEqual(
    expect.arrayContaining(
      [over, elsewhere].map(({ id: domainId, companyId, name }) => ({
        companyId,
        action: "domain.expired",
        details: { domainId, name },
      })),
    ),
  );
});
