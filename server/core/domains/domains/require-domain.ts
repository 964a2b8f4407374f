import { and, eq } from "drizzle-orm";

import { type Domain, domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { isLive } from "./is-live.ts";

const domainNotFound = () => new Refusal("not_found", "Domain not found");

/**
 * The company's domain of this id. One whose seven days are over without proof is not there any more.
 *
 * @throws Refusal `not_found`
 */
export async function requireDomain(ctx: Context, id: string): Promise<Domain> {
  const [domain] = isUuid(id) ? await select(ctx, id) : [];
  if (!domain) throw domainNotFound();
  return domain;
}

/** As `requireDomain`, the row held until the caller's transaction ends: nobody else changes or deletes it. */
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
