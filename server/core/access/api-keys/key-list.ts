import { and, asc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";

import { admins, type ApiKey, apiKeys, companies, domains, emails } from "#drizzle/schema/index.ts";
import { adminRolesSql } from "#server/core/access/privileges/grants.ts";
import {
  effectivePrivileges,
  type HeldPrivileges,
  type RoleGrant,
} from "#server/core/access/privileges/privileges.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  type CountedPage,
  type Page,
  pageNewestFirst,
  type PageRequest,
  pageSorted,
  type Sort,
  sortOrders,
} from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** What the console shows of a key; leaves out the secret's hash. */
const SHOWN_KEY = {
  id: apiKeys.id,
  name: apiKeys.name,
  prefix: apiKeys.prefix,
  permission: apiKeys.permission,
  domain: domains.name,
  domainId: apiKeys.domainId,
  allowedAddresses: apiKeys.allowedAddresses,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  revokedAt: apiKeys.revokedAt,
  creatorId: admins.id,
  creatorName: admins.name,
  creatorEmail: admins.email,
  /** Set while the creator's access is suspended, which makes the key invalid. */
  creatorDisabledAt: admins.disabledAt,
};

export type ShownKey = Omit<ApiKey, "companyId" | "creatorId" | "secretHash"> & {
  domain: string | null;
  creatorId: string;
  creatorName: string;
  creatorEmail: string;
  creatorDisabledAt: string | null;
};

type KeySort = Sort<"name" | "used" | "created">;

const orderOf = sortOrders({
  name: sql`lower(${apiKeys.name})`,
  used: sql`coalesce(${apiKeys.revokedAt}, ${apiKeys.lastUsedAt}, '-infinity')`,
  created: apiKeys.createdAt,
});

const NEWEST_FIRST: KeySort = { by: "created", direction: "descending" };

/**
 * A page of the company's active or revoked keys with their creators. "used" sorts revoked keys by their revocation.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listKeysWithCreators(
  ctx: Context,
  page: PageRequest,
  { isRevoked }: { isRevoked: boolean },
  sort = NEWEST_FIRST,
): Promise<CountedPage<ShownKey>> {
  const list = pageSorted(ctx.db, apiKeys, orderOf(sort), { inList: inList(ctx, isRevoked) }, page);
  return list.read(
    ctx.db
      .select(SHOWN_KEY)
      .from(apiKeys)
      .innerJoin(admins, eq(admins.id, apiKeys.creatorId))
      .leftJoin(domains, eq(domains.id, apiKeys.domainId)),
  );
}

const inList = (ctx: Context, isRevoked: boolean) =>
  and(eq(apiKeys.companyId, ctx.companyId), (isRevoked ? isNotNull : isNull)(apiKeys.revokedAt))!;

const { id, name, permission, domainId, prefix, createdAt, lastUsedAt } = apiKeys;
const LISTED = { id, name, permission, domainId, prefix, createdAt, lastUsedAt };

/** A key without its secret's hash. */
export type ListedApiKey = Pick<ApiKey, keyof typeof LISTED>;

/**
 * A page of the company's active keys, newest first.
 *
 * @throws Refusal `invalid` for a cursor that isn't an active key of the company
 */
export async function listApiKeys(ctx: Context, page: PageRequest): Promise<Page<ListedApiKey>> {
  const isListed = and(eq(apiKeys.companyId, ctx.companyId), isNull(apiKeys.revokedAt));
  const list = pageNewestFirst(ctx.db, apiKeys, isListed, page);
  return list.read(ctx.db.select(LISTED).from(apiKeys));
}

/**
 * Returns an active or revoked key with its creator's current privileges and the number of its scheduled
 * emails, which revoking it would cancel.
 *
 * @throws Refusal `not_found`
 */
export async function getKeyWithCreator(
  ctx: Context,
  id: string,
): Promise<{ key: ShownKey; creatorPrivileges: HeldPrivileges; scheduled: number }> {
  const [found] = await ctx.db
    .select({
      ...SHOWN_KEY,
      isOwner: admins.isOwner,
      privileges: admins.privileges,
      roles: sql<RoleGrant[]>`${adminRolesSql(sql`${admins.id}`)}`,
    })
    .from(apiKeys)
    .innerJoin(admins, eq(admins.id, apiKeys.creatorId))
    .leftJoin(domains, eq(domains.id, apiKeys.domainId))
    .where(and(eq(apiKeys.id, id), eq(apiKeys.companyId, ctx.companyId)));
  if (!found) throw new Refusal("not_found", "API key not found");
  const scheduled = await ctx.db.$count(
    emails,
    and(eq(emails.apiKeyId, id), eq(emails.companyId, ctx.companyId), isNotNull(emails.dueAt)),
  );
  const { isOwner, privileges, roles, ...key } = found;
  return { key, creatorPrivileges: effectivePrivileges({ isOwner, privileges, roles }), scheduled };
}

/** Keeps the menu to a usable length. */
const DOMAINS_MAX = 500;

/** What the form for a new key offers: the domains it can be restricted to, and the company's allow-list. */
export async function listKeyChoices(
  ctx: Context,
): Promise<{ domains: { id: string; name: string }[]; companyAddresses: string[] }> {
  const [company] = await ctx.db
    .select({ allowedAddresses: companies.allowedAddresses })
    .from(companies)
    .where(eq(companies.id, ctx.companyId));
  const proven = await ctx.db
    .select({ id: domains.id, name: domains.name })
    .from(domains)
    .where(and(eq(domains.companyId, ctx.companyId), isNotNull(domains.ownershipProvenAt)))
    .orderBy(asc(domains.name))
    .limit(DOMAINS_MAX);
  return { domains: proven, companyAddresses: company!.allowedAddresses };
}

/** Maps key ids to names, including revoked keys; ids of other companies are left out. */
export async function getKeyNames(ctx: Context, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(and(eq(apiKeys.companyId, ctx.companyId), inArray(apiKeys.id, [...new Set(ids)])));
  return new Map(rows.map(({ id, name }) => [id, name]));
}
