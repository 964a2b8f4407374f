import { and, asc, eq } from "drizzle-orm";

import { type Address, addresses } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

const isInbound = ({ companyId }: CompanyScope) =>
  and(eq(addresses.companyId, companyId), eq(addresses.kind, "inbound"));

/** The company's inbound addresses by address; catch-alls come first. */
export const listInboundAddresses = (
  ctx: CompanyScope,
): Promise<Pick<Address, "address" | "createdAt">[]> =>
  ctx.db
    .select({ address: addresses.address, createdAt: addresses.createdAt })
    .from(addresses)
    .where(isInbound(ctx))
    .orderBy(asc(addresses.address));

export const countInboundAddresses = (ctx: CompanyScope): Promise<number> =>
  ctx.db.$count(addresses, isInbound(ctx));
