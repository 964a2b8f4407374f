import { and, eq } from "drizzle-orm";

import { admins, domains } from "#drizzle/schema/index.ts";
import { createApiKey } from "#server/core/access/api-keys/create-api-key.ts";
import { parseDomainName } from "#server/core/domains/domains/parse-domain-name.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { ensureSandbox } from "./ensure-sandbox.ts";

export type TestCompany = {
  apiKey: string;
  domains: string[];
  owner: { email: string; password: string | null };
};

/** High, because tests poll and run in parallel. */
const REQUESTS_MAX = "10000";

/**
 * Creates the company of a test server, with a test key, and raises the request limits.
 *
 * @param names domains to send from, which test keys don't need verified
 * @throws Refusal `invalid` for a name
 */
export async function prepareTestCompany(db: Db, names: string[]): Promise<TestCompany> {
  const { companyId, owner, domain } = await ensureSandbox(db, { canSignIn: true });
  for (const name of ["request_rate_per_second", "requests_in_progress"])
    await changeSetting(db, name, REQUESTS_MAX);
  const ctx = createContext(db, companyId, { kind: "system", task: "test_server" });
  const added = [...new Set(names.map(parseDomainName))].filter((name) => name !== domain);
  if (added.length > 0)
    await db
      .insert(domains)
      .values(added.map((name) => ({ companyId, name, ownershipToken: "none" })));
  const [creator] = await db
    .select({ id: admins.id })
    .from(admins)
    .where(and(eq(admins.companyId, companyId), eq(admins.email, owner.email)));
  const { token } = await createApiKey(ctx, {
    ...{ creatorId: creator!.id, name: "Test server", permission: "test", domainId: null },
  });
  return { apiKey: token, domains: [domain, ...added], owner };
}
