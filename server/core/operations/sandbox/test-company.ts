import { and, eq } from "drizzle-orm";

import { admins, dkimKeys, domains } from "#drizzle/schema/index.ts";
import { createApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { parseDomainName, SANDBOX_DOMAIN } from "#server/core/domains/domains/parse-domain-name.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { dkimRecord } from "#server/core/sending/dkim/dkim-keys.ts";
import { createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";

import { ensureSandbox } from "./sandbox.ts";

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
    creatorId: creator!.id,
    name: "Test server",
    permission: "test",
    domainId: null,
  });
  return { apiKey: token, domains: [domain, ...added], owner };
}

/**
 * A resolver for the sandbox domain, which isn't in DNS: answers with its DKIM records. All other names don't exist.
 */
export function sandboxResolver(db: Db) {
  return async (name: string, type: string): Promise<string[][]> => {
    const [selector, suffix] = name.toLowerCase().split("._domainkey.");
    if (type === "TXT" && selector && suffix === SANDBOX_DOMAIN) {
      const keys = await db
        .select({ algorithm: dkimKeys.algorithm, publicKey: dkimKeys.publicKey })
        .from(dkimKeys)
        .innerJoin(domains, eq(domains.id, dkimKeys.domainId))
        .where(and(eq(domains.name, SANDBOX_DOMAIN), eq(dkimKeys.selector, selector)));
      if (keys.length > 0) return keys.map((key) => [dkimRecord(key)]);
    }
    throw Object.assign(new Error(`${name} has no ${type} record`), { code: "ENOTFOUND" });
  };
}
