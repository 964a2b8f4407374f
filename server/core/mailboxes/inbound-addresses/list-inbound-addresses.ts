import { and, asc, eq } from "drizzle-orm";

import { type Address, addresses } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

const isInbound = ({ companyId }: CompanyScope) =>
  and(eq(addresses.companyId, companyId), eq(addresses.kind, "inbound"));

export type ListedInboundAddress = Pick<Address, "address" | "createdAt">;

const shown = { address: addresses.address, createdAt: addresses.createdAt };

/** The company's inbound addresses by address; catch-alls come first. */
export const listInboundAddresses = (ctx: CompanyScope): Promise<ListedInboundAddress[]> =>
  ctx.db.select(shown).from(addresses).where(isInbound(ctx)).orderBy(asc(addresses.address));

/** @throws Refusal `not_found` */
export async function getInboundAddress(
  ctx: CompanyScope,
  address: string,
): Promise<ListedInboundAddress> {
  const [found] = await ctx.db
    .select(shown)
    .from(addresses)
    .where(and(isInbound(ctx), eq(addresses.address, address.toLowerCase())));
  if (!found) throw new Refusal("not_found", "Inbound address not found");
  return found;
}

export const countInboundAddresses = (ctx: CompanyScope): Promise<number> =>
  ctx.db.$count(addresses, isInbound(ctx));
