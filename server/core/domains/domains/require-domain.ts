import { and, eq } from "drizzle-orm";

import { type Domain, domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { isLive } from "./is-live.ts";

const domainNotFound = () => new Refusal("not_found", "Domain not found");

/**
 * Returns the company's domain with this id, unless it has expired.
 *
 * @throws Refusal `not_found`
 */
export async function requireDomain(ctx: Context, id: string): Promise<Domain> {
  const [domain] = isUuid(id) ? await select(ctx, id) : [];
  if (!domain) throw domainNotFound();
  return domain;
}

/** Like `requireDomain`, and locks the row until the transaction ends. */
export async function lockDomain(ctx: Context, id: string): Promise<Domain> {
  const [domain] = isUuid(id) ? await select(ctx, id).for("update") : [];
  if (!domain) throw domainNotFound();
  return domain;
}

const select = (ctx: Context, id: string) =>
  ctx.db
    .select()
    .from(domains)
    .where(and(eq(domains.id, id), eq(domains.companyId, ctx.companyId), isLive));
