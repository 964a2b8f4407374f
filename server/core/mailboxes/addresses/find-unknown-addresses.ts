import { and, eq, exists, inArray, isNotNull } from "drizzle-orm";

import { addresses, domains } from "#drizzle/schema/index.ts";
import { recipientVariants } from "#server/core/mailboxes/mailboxes/resolve-recipients.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import type { Context } from "#server/core/shared/context.ts";

/**
 * Returns the addresses, as written, that are at the company's own domains and don't exist. Domains without a mailbox
 * aren't checked: their mail may be elsewhere.
 */
export async function findUnknownAddresses(ctx: Context, written: string[]): Promise<string[]> {
  if (written.length === 0) return [];
  const normalized = written.map(normalize);
  const [own, known] = await Promise.all([
    findDomainsWithMailboxes(ctx, normalized),
    findAddresses(ctx, normalized.flatMap(recipientVariants)),
  ]);
  return written.filter((_, at) => {
    const address = normalized[at]!;
    const isKnown = recipientVariants(address).some((variant) => known.has(variant));
    return own.has(addressDomain(address)) && !isKnown;
  });
}

async function findDomainsWithMailboxes(ctx: Context, given: string[]): Promise<Set<string>> {
  const names = [...new Set(given.map(addressDomain))];
  const ofDomain = and(eq(addresses.domainId, domains.id), eq(addresses.kind, "mailbox"));
  const rows = await ctx.db
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
  return new Set(rows.map(({ name }) => name));
}

async function findAddresses(ctx: Context, given: string[]): Promise<Set<string>> {
  const rows = await ctx.db
    .select({ address: addresses.address })
    .from(addresses)
    .where(and(eq(addresses.companyId, ctx.companyId), inArray(addresses.address, given)));
  return new Set(rows.map(({ address }) => address));
}

const normalize = (address: string) => address.trim().toLowerCase();
