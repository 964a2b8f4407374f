import { and, asc, eq } from "drizzle-orm";

import { type Address, addresses } from "#drizzle/schema/index.ts";
import {
  lockVerifiedDomain,
  readNewAddressOrCatchAll,
  reserveAddress,
} from "#server/core/mailboxes/addresses/addresses.ts";
import { requireMayDelete } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import {
  type CompanyScope,
  type Context,
  inTransaction,
  lockCompany,
} from "#server/core/shared/context.ts";
import { recordDeleted } from "#server/core/shared/deleted-items/deleted-items.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** The list isn't paginated. A catch-all serves a program that needs more. */
const INBOUND_ADDRESSES_MAX = 100;

/**
 * Creates an inbound address, whose mail programs read through the API from then on. `*@example.com` is a catch-all for
 * what else doesn't exist at the domain.
 *
 * @throws Refusal `invalid`, `already_exists`, `not_allowed`
 */
export async function createInboundAddress(
  ctx: Context,
  written: string,
): Promise<ListedInboundAddress> {
  const address = readNewAddressOrCatchAll(written, "address");
  return inTransaction(ctx, async (ctx) => {
    const domainId = await lockVerifiedDomain(ctx, addressDomain(address), "address");
    await lockCompany(ctx);
    if ((await countInboundAddresses(ctx)) >= INBOUND_ADDRESSES_MAX)
      throw new Refusal(
        "not_allowed",
        `A company can have ${INBOUND_ADDRESSES_MAX} inbound addresses. Use a catch-all, such as *@${addressDomain(address)}`,
      );
    await reserveAddress(ctx, { address, domainId, kind: "inbound", field: "address" });
    await recordAudit(ctx, "inbound_address.created", { address });
    return getInboundAddress(ctx, address);
  });
}

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

const countInboundAddresses = (ctx: CompanyScope): Promise<number> =>
  ctx.db.$count(addresses, isInbound(ctx));

/**
 * Deletes an inbound address, and keeps it to be restored. Mail to it is rejected from then on; what it received stays.
 *
 * @returns the address, and the id to restore it by
 * @throws Refusal `not_found`; `invalid_permission` as `requireMayDelete`
 */
export async function deleteInboundAddress(
  ctx: Context,
  address: string,
): Promise<{ address: string; deletedId: string }> {
  return inTransaction(ctx, async (ctx) => {
    const is = and(
      eq(addresses.address, address.toLowerCase()),
      eq(addresses.companyId, ctx.companyId),
      eq(addresses.kind, "inbound"),
    )!;
    const [found] = await ctx.db.select().from(addresses).where(is).for("update");
    if (!found) throw new Refusal("not_found", "Inbound address not found");
    const { address: name, domainId } = found;
    await requireMayDelete(ctx, [name]);
    const item = { kind: "inbound" as const, name, title: "", domainId, addresses: [name] };
    const deletedId = await recordDeleted(ctx, item, [[addresses, is]]);
    await ctx.db.delete(addresses).where(is);
    await recordAudit(ctx, "inbound_address.deleted", { address: name });
    return { address: name, deletedId };
  });
}
