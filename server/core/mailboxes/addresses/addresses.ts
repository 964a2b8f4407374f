import { and, asc, count, desc, eq, exists, inArray, isNotNull } from "drizzle-orm";

import { type Address, addresses, type Domain, domains, mailboxes } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { catchAllAt, recipientVariants } from "#server/core/mailboxes/mailboxes/recipients.ts";
import {
  addressDomain,
  LOCAL_PART_MAX,
  readBareAddress,
  readDomain,
} from "#server/core/shared/addresses/parse-address.ts";
import type { CompanyScope, Context } from "#server/core/shared/context.ts";
import {
  findReservedAddress,
  forgetDeleted,
  reservedByDeleted,
} from "#server/core/shared/deleted-items/deleted-items.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { requireMayOpen, requireMayTakeOver } from "./require-may-open.ts";

/** Stricter than what recipients' addresses may look like. */
const LOCAL_PART = /^[a-z0-9]([a-z0-9._+-]*[a-z0-9])?$/;

/** Local parts that the appliance uses at its own hostname, for reports and bounces. */
const RESERVED_LOCAL_PART = /^(reports|bounce(\+.*)?)$/;

/**
 * Parses a new address of the company: lowercase, with the domain in A-labels.
 *
 * @param field the request field, for the error message
 * @throws Refusal `invalid`
 */
export function readNewAddress(text: string, field: string): string {
  const address = readBareAddress(text);
  if (!address) throw new Refusal("invalid", `${field}: ${problemOf(text)}`);
  const localPart = address.slice(0, address.lastIndexOf("@"));
  if (!LOCAL_PART.test(localPart))
    throw new Refusal(
      "invalid",
      `${field}: can only contain letters, digits and . _ + - before the @, and must start and end with a letter or digit`,
    );
  if (addressDomain(address) === config().hostname && RESERVED_LOCAL_PART.test(localPart))
    throw new Refusal("invalid", `${field}: ${address} is reserved for the mail server`);
  return address;
}

const problemOf = (text: string) =>
  text.trim().lastIndexOf("@") > LOCAL_PART_MAX
    ? `can have at most ${LOCAL_PART_MAX} characters before the @`
    : "must be a valid email address";

const CATCH_ALL = /^\*@(?=[^@]+$)/;

export const isCatchAll = (address: string) => CATCH_ALL.test(address);

/**
 * Parses a new inbound address or alias like `readNewAddress`, or a catch-all such as `*@reply.example.com`.
 *
 * @throws Refusal `invalid`
 */
export function readNewAddressOrCatchAll(text: string, field: string): string {
  const trimmed = text.trim();
  if (!isCatchAll(trimmed)) return readNewAddress(trimmed, field);
  const domain = readDomain(trimmed.slice("*@".length));
  if (domain === null)
    throw new Refusal("invalid", `${field}: must be an address, or *@ followed by a domain`);
  return catchAllAt(domain);
}

/**
 * Returns the id of the company's domain with this name; its ownership must be verified.
 *
 * @param name in any case
 * @param field the request field, for the error message
 * @throws Refusal `invalid`
 */
export async function requireOwnedDomain(
  ctx: Context,
  name: string,
  field: string,
): Promise<string> {
  const [domain] = await selectDomain(ctx, name);
  if (!domain?.ownershipProvenAt)
    throw new Refusal("invalid", `${field}: must be one of your verified domains`);
  return domain.id;
}

/**
 * Returns the id of the company's verified domain with this name, locked against deletion until the
 * caller's transaction ends.
 *
 * @param name in any case
 * @param field the request field, for the error message
 * @throws Refusal `invalid`
 */
export async function lockVerifiedDomain(
  ctx: Context,
  name: string,
  field: string,
): Promise<string> {
  const [domain] = await selectDomain(ctx, name).for("key share");
  return requireVerified(domain, { name, field });
}

/** Like `lockVerifiedDomain`, but doesn't lock the domain. */
export async function requireVerifiedDomain(
  ctx: Context,
  name: string,
  field: string,
): Promise<string> {
  const [domain] = await selectDomain(ctx, name);
  return requireVerified(domain, { name, field });
}

const selectDomain = (ctx: Context, name: string) =>
  ctx.db
    .select({
      id: domains.id,
      status: domains.status,
      ownershipProvenAt: domains.ownershipProvenAt,
    })
    .from(domains)
    .where(and(eq(domains.name, readDomain(name) ?? ""), eq(domains.companyId, ctx.companyId)));

function requireVerified(
  domain: Pick<Domain, "id" | "status" | "ownershipProvenAt"> | undefined,
  { name, field }: { name: string; field: string },
): string {
  if (domain?.status === "verified" && domain.ownershipProvenAt !== null) return domain.id;
  throw notVerified(name, field);
}

/**
 * One message for domains that belong to another company, don't exist or lack DNS records, so that it
 * reveals nothing.
 */
export const notVerified = (name: string, field: string) =>
  new Refusal("invalid", `${field}: ${name} is not a verified domain of the company`);

/**
 * Reserves a free address in the caller's transaction. Of two concurrent calls for one address, the second
 * waits and fails. Addresses of deleted mailboxes, groups and domains aren't free.
 *
 * @param address.field the request field, for forms
 * @throws Refusal `already_exists`; `invalid_permission` as `requireMayOpen` and `requireMayTakeOver`
 */
export async function reserveAddress(
  ctx: Context,
  {
    field,
    address,
    domainId,
    kind,
  }: Pick<Address, "address" | "domainId" | "kind"> & { field: string },
): Promise<void> {
  const [taken] = await ctx.db
    .insert(addresses)
    .values({ address, companyId: ctx.companyId, domainId, kind })
    .onConflictDoNothing({ target: addresses.address })
    .returning({ address: addresses.address });
  if (!taken) {
    const isOwn = and(eq(addresses.address, address), eq(addresses.companyId, ctx.companyId));
    const [own] = await ctx.db.select({ kind: addresses.kind }).from(addresses).where(isOwn);
    throw takenError(address, own?.kind ?? null, { field });
  }
  await requireNotReserved(ctx, { address, kind, field });
  await requireMayOpen(ctx, [address]);
  await requireMayTakeOver(ctx, address);
}

const KIND_NAMES: Record<Address["kind"], string> = {
  mailbox: "a mailbox",
  alias: "an alias",
  group: "a group",
  inbound: "an inbound address",
};

/** @param kind null if another company uses the address */
export const takenError = (
  address: string,
  kind: Address["kind"] | null,
  details?: { field: string },
): Refusal =>
  new Refusal(
    "already_exists",
    `${address} is already ${kind ? KIND_NAMES[kind] : "in use"}`,
    details,
  );

/**
 * An alias or inbound address that was deleted can be created again, an alias also for another mailbox: it has nothing to
 * lose.
 */
async function requireNotReserved(
  ctx: Context,
  { address, kind, field }: Pick<Address, "address" | "kind"> & { field: string },
): Promise<void> {
  const item = await findReservedAddress(ctx, address);
  if (!item) return;
  const isReplaceable = kind === "alias" || kind === "inbound";
  if (!isReplaceable || kind !== item.kind) throw reservedByDeleted(address, item, field);
  await forgetDeleted(ctx, item.id);
}

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

/** The addresses outside the company, that is at domains whose ownership it hasn't verified. */
export async function findOutsideAddresses(
  { db, companyId }: CompanyScope,
  given: string[],
): Promise<string[]> {
  const names = [...new Set(given.map(addressDomain))];
  const own = await db
    .select({ name: domains.name })
    .from(domains)
    .where(
      and(
        eq(domains.companyId, companyId),
        isNotNull(domains.ownershipProvenAt),
        inArray(domains.name, names),
      ),
    );
  return given.filter((address) => !own.some(({ name }) => name === addressDomain(address)));
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

/** Lists the company's verified domains, in which addresses can be created, by name. */
export async function listVerifiedDomains(ctx: Context): Promise<string[]> {
  const verified = await ctx.db
    .select({ name: domains.name })
    .from(domains)
    .where(and(eq(domains.companyId, ctx.companyId), eq(domains.status, "verified")))
    .orderBy(asc(domains.name));
  return verified.map(({ name }) => name);
}

/** The verified domain with the most mailboxes, where a new address probably belongs; null without one. */
export async function findMainDomain(ctx: Context): Promise<string | null> {
  const [main] = await ctx.db
    .select({ name: domains.name })
    .from(domains)
    .leftJoin(
      mailboxes,
      and(eq(mailboxes.companyId, domains.companyId), eq(mailboxes.domainId, domains.id)),
    )
    .where(and(eq(domains.companyId, ctx.companyId), eq(domains.status, "verified")))
    .groupBy(domains.id)
    .orderBy(desc(count(mailboxes.address)), asc(domains.name))
    .limit(1);
  return main?.name ?? null;
}
