import { and, eq, exists, inArray, isNotNull } from "drizzle-orm";

import { addresses, domains } from "#drizzle/schema/index.ts";
import { recipientVariants } from "#server/core/mailboxes/mailboxes/resolve-recipients.ts";
import type { Context } from "#server/core/shared/context.ts";
import { readEach } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Requires that members at the company's own domains exist, because others are typing errors whose mail would bounce.
 *
 * @param field the request field, for the error message
 * @throws Refusal `invalid`
 */
export async function requireKnownMembers(
  ctx: Context,
  members: string[],
  field: string,
): Promise<void> {
  const unknown = new Set(await findUnknownAddresses(ctx, members));
  readEach(members, (member, at) => {
    if (unknown.has(member))
      throw new Refusal("invalid", `${field}[${at}]: is not an address of your company`);
  });
}

/**
 * Returns the addresses, as written, that are at the company's own domains and don't exist. Domains without a mailbox
 * aren't checked: their mail may be elsewhere.
 */
export async function findUnknownAddresses(ctx: Context, written: string[]): Promise<string[]> {
  const names = [...new Set(written.map((address) => domainOf(normalized(address))))];
  if (names.length === 0) return [];
  const ofDomain = and(eq(addresses.domainId, domains.id), eq(addresses.kind, "mailbox"));
  const own = await ctx.db
    .select({ name: domains.name })
    .from(domains)
    .where(
      and(
        eq(domains.companyId, ctx.companyId),
        isNotNull(domains.ownershipProvenAt),
        inArray(domains.name, names),
        exists(ctx.db.select({ id: addresses.address }).from(addresses).where(ofDomain)),
      ),
    );
  const found = await ctx.db
    .select({ address: addresses.address })
    .from(addresses)
    .where(
      and(
        eq(addresses.companyId, ctx.companyId),
        inArray(addresses.address, written.map(normalized).flatMap(recipientVariants)),
      ),
    );
  const hosted = new Set(own.map(({ name }) => name));
  const known = new Set(found.map(({ address }) => address));
  return written.filter((each) => {
    const address = normalized(each);
    const isKnown = recipientVariants(address).some((variant) => known.has(variant));
    return hosted.has(domainOf(address)) && !isKnown;
  });
}

const normalized = (address: string) => address.trim().toLowerCase();
const domainOf = (address: string) => address.slice(address.lastIndexOf("@") + 1);
