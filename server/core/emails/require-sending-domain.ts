import { and, eq, isNotNull } from "drizzle-orm";

import { type Domain, domains } from "#drizzle/schema/index.ts";
import { domainOf } from "#server/core/addresses/parse-address.ts";
import type { KeyCaller } from "#server/core/api-keys/authenticate-key.ts";
import type { Context } from "#server/core/context.ts";
import { Refusal } from "#server/core/refusals.ts";

/**
 * The company's domain that the from address belongs to, as far as it may send and the key may use it.
 *
 * @throws Refusal `invalid_from_address` or `domain_not_verified`
 */
export async function requireSendingDomain(
  ctx: Context,
  key: KeyCaller,
  fromAddress: string,
): Promise<Pick<Domain, "id" | "name">> {
  const name = domainOf(fromAddress);
  const [domain] = await ctx.db
    .select({ id: domains.id, name: domains.name, status: domains.status })
    .from(domains)
    .where(
      and(
        eq(domains.companyId, ctx.companyId),
        eq(domains.name, name),
        isNotNull(domains.ownershipProvenAt),
      ),
    );
  if (!domain)
    throw new Refusal(
      "invalid_from_address",
      `${name} is not a domain of this company with proven ownership. Add it under Domains first`,
    );
  if (key.domainId !== null && key.domainId !== domain.id)
    throw new Refusal("invalid_from_address", `This API key may not send from ${name}`);
  if (domain.status !== "verified")
    throw new Refusal(
      "domain_not_verified",
      `${name} cannot send yet: its SPF or DKIM record was not found at the last check`,
    );
  return domain;
}
