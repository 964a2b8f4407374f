import { and, eq } from "drizzle-orm";

import { type ApiKey, domains } from "#drizzle/schema/index.ts";
import { findAdmin } from "./create-company.ts";
import { getCompany } from "#server/core/access/companies/get-company.ts";
import { type Context, createContext } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { createApiKey } from "#server/core/access/api-keys/create-api-key.ts";

/**
 * Creates an API key for a company, admin and domain given by name.
 *
 * @throws Refusal `not_found` for the company, admin or domain; `invalid` as `createApiKey`
 */
export async function createKeyFor(
  db: Db,
  input: {
    /** Name or id. */
    company: string;
    /** Sign-in address of the admin whose privileges the key gets. */
    as: string;
    name: string;
    permission: ApiKey["permission"];
    domain?: string;
  },
): Promise<{ id: string; token: string }> {
  const company = await getCompany(db, input.company);
  const ctx = createContext(db, company.id, { kind: "system", task: "create_key" });
  const creator = await findAdmin(ctx, input.as);
  if (!creator) throw new Refusal("not_found", `${company.name} has no admin ${input.as}`);
  return createApiKey(ctx, {
    creatorId: creator.id,
    name: input.name,
    permission: input.permission,
    domainId: input.domain === undefined ? null : await getDomainId(ctx, input.domain),
  });
}

async function getDomainId(ctx: Context, name: string): Promise<string> {
  const [domain] = await ctx.db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.companyId, ctx.companyId), eq(domains.name, name.toLowerCase())));
  if (!domain) throw new Refusal("not_found", `The company has no domain "${name}"`);
  return domain.id;
}
