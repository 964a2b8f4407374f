import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";

import { admins, type ApiKey, apiKeyPermission, apiKeys, domains } from "#drizzle/schema/index.ts";
import { readCallerPrivileges } from "#server/core/access/privileges/grants.ts";
import { cancelEmailsOfKeys } from "#server/core/sending/schedules/schedules.ts";
import { recordAudit, recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readOneLine } from "#server/core/shared/text.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { hashKeyToken, newKeyToken } from "./authenticate-key.ts";
import { readRange } from "./ip-ranges.ts";

/**
 * Creates an API key that acts with the privileges of `creatorId`. Only the token's hash is stored.
 *
 * @throws Refusal `invalid` for a bad name, domain or address; `invalid_permission` if the creator was
 *   removed meanwhile
 */
export async function createApiKey(
  ctx: Context,
  input: {
    creatorId: string;
    name: string;
    permission: ApiKey["permission"];
    /** Restricts a sending key to one domain. */
    domainId: string | null;
    /** Addresses and CIDR ranges that can use the key; empty for all. */
    allowedAddresses?: string[];
  },
): Promise<{ id: string; token: string }> {
  const { name, allowedAddresses } = readFields({
    name: () => readKeyName(input.name),
    domain: () => requireUnrestricted(input),
    allowedAddresses: () => readAllowList(input.allowedAddresses ?? []),
  });
  const isTest = input.permission === "test";
  const { token, prefix } = newKeyToken(isTest);

  return inTransaction(ctx, async (ctx) => {
    await requireCreator(ctx, input.creatorId);
    if (input.domainId !== null) await requireVerifiedOwnership(ctx, input.domainId);
    const [key] = await ctx.db
      .insert(apiKeys)
      .values({
        ...input,
        companyId: ctx.companyId,
        name,
        allowedAddresses,
        prefix,
        secretHash: hashKeyToken(token),
      })
      .returning({ id: apiKeys.id });
    await recordAudit(ctx, "api_key.created", {
      keyId: key!.id,
      name,
      permission: input.permission,
      ...(allowedAddresses.length > 0 && { allowedAddresses }),
    });
    return { id: key!.id, token };
  });
}

function requireUnrestricted({ domainId, permission }: Pick<ApiKey, "domainId" | "permission">) {
  if (domainId !== null && permission !== "sending_access")
    throw new Refusal("invalid", "domain_id can only restrict a key with sending_access", {
      field: "domain_id",
    });
}

/** Waits for a concurrent removal of the creator, and keeps one from starting until the key is stored. */
async function requireCreator(ctx: Context, creatorId: string) {
  const [creator] = await ctx.db
    .select({ id: admins.id })
    .from(admins)
    .where(and(eq(admins.id, creatorId), eq(admins.companyId, ctx.companyId)))
    .for("key share");
  if (!creator)
    throw new Refusal(
      "invalid_permission",
      "The key's creator is no longer an admin of the company",
    );
}

async function requireVerifiedOwnership(ctx: Context, domainId: string) {
  const unusable = new Refusal(
    "invalid",
    "domain_id: no such domain, or its ownership isn't verified",
    { field: "domain_id" },
  );
  if (!isUuid(domainId)) throw unusable;
  const [domain] = await ctx.db
    .select({ id: domains.id })
    .from(domains)
    .where(
      and(
        eq(domains.id, domainId),
        eq(domains.companyId, ctx.companyId),
        isNotNull(domains.ownershipProvenAt),
      ),
    )
    // Waits for a concurrent deletion of the domain.
    .for("key share");
  if (!domain) throw unusable;
}

/** Omitted fields keep their values. */
type KeyChange = {
  name?: string | undefined;
  permission?: ApiKey["permission"] | undefined;
  domainId?: string | null | undefined;
  /** Applies in addition to the company's; empty allows every address. */
  allowedAddresses?: string[] | undefined;
};

/**
 * Changes an active key of the company, from its next request on. Only its creator and owners can give it full access, because
 * it has its creator's privileges.
 *
 * @throws Refusal `not_found`; `invalid` for a field, or between test and live; `invalid_permission`
 */
export async function changeApiKey(ctx: Context, id: string, change: KeyChange): Promise<void> {
  const { name, allowedAddresses } = readFields({
    name: () => (change.name === undefined ? undefined : readKeyName(change.name)),
    allowedAddresses: () => change.allowedAddresses && readAllowList(change.allowedAddresses),
  });
  await inTransaction(ctx, async (ctx) => {
    const [key] = await ctx.db
      .select()
      .from(apiKeys)
      .where(
        and(eq(apiKeys.id, id), eq(apiKeys.companyId, ctx.companyId), isNull(apiKeys.revokedAt)),
      )
      .for("no key update");
    if (!key) throw new Refusal("not_found", "API key not found");
    const after = {
      name: name ?? key.name,
      permission: change.permission ?? key.permission,
      domainId: change.domainId === undefined ? key.domainId : change.domainId,
      allowedAddresses: allowedAddresses ?? key.allowedAddresses,
    };
    await requireAccess(ctx, key, after);
    await ctx.db.update(apiKeys).set(after).where(eq(apiKeys.id, id));
    await auditChange(ctx, key, after);
  });
}

async function requireAccess(
  ctx: Context,
  key: ApiKey,
  { permission, domainId }: EditableFields,
): Promise<void> {
  requireUnrestricted({ permission, domainId });
  if ((permission === "test") !== (key.permission === "test"))
    throw new Refusal("invalid", "permission: a key can't change between test and live mode", {
      field: "permission",
    });
  if (permission === "full_access" && key.permission !== permission)
    await requireCreatorOrOwner(ctx, key);
  if (domainId !== null && domainId !== key.domainId) await requireVerifiedOwnership(ctx, domainId);
}

async function requireCreatorOrOwner(ctx: Context, { creatorId }: ApiKey): Promise<void> {
  const { actor } = ctx;
  if (actor.kind === "operator" || actor.kind === "system") return;
  if (actor.kind === "admin" && actor.adminId === creatorId) return;
  if ((await readCallerPrivileges(ctx))?.privileges.has("owner")) return;
  throw new Refusal(
    "invalid_permission",
    "Only the key's creator or an owner can give it full access, because the key has its creator's privileges",
  );
}

type EditableFields = Pick<ApiKey, "name" | "permission" | "domainId" | "allowedAddresses">;

async function auditChange(ctx: Context, before: ApiKey, after: EditableFields): Promise<void> {
  const keyId = before.id;
  if (before.name !== after.name)
    await recordAudit(ctx, "api_key.renamed", { keyId, from: before.name, to: after.name });
  const { name } = after;
  if (before.permission !== after.permission || before.domainId !== after.domainId)
    await recordAudit(ctx, "api_key.access_changed", {
      keyId,
      name,
      permission: { from: before.permission, to: after.permission },
      domainId: { from: before.domainId, to: after.domainId },
    });
  const [from, to] = [before.allowedAddresses, after.allowedAddresses];
  if (from.join() !== to.join())
    await recordAudit(ctx, "api_key.allowed_addresses_changed", { keyId, name, from, to });
}

/**
 * Revokes a key of the company and cancels the emails it scheduled.
 *
 * @throws Refusal `not_found` if the company has no active key with this id
 */
export async function revokeApiKey(ctx: Context, id: string): Promise<void> {
  const revoked = await inTransaction(ctx, (ctx) => revokeKeys(ctx, eq(apiKeys.id, id)));
  if (revoked.length === 0) throw new Refusal("not_found", "API key not found");
}

/**
 * Revokes the company's active keys that match `which`, audits each, and cancels the emails they scheduled.
 * Call in a transaction.
 *
 * @returns the keys' ids
 */
export async function revokeKeys(ctx: Context, which: SQL): Promise<string[]> {
  const revoked = await ctx.db
    .update(apiKeys)
    .set({ revokedAt: sql`clock_timestamp()` })
    .where(and(which, eq(apiKeys.companyId, ctx.companyId), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id, name: apiKeys.name });
  const ids = revoked.map(({ id }) => id);
  const canceled = await cancelEmailsOfKeys(ctx, ids);
  const entries = revoked.map(({ id, name }) => ({
    keyId: id,
    name,
    canceledEmails: canceled.get(id) ?? 0,
  }));
  await recordAudits(ctx, "api_key.revoked", entries);
  return ids;
}

/**
 * Revokes every key an admin created. Call in the transaction that removes the admin.
 *
 * @returns the ids of the revoked keys
 */
export function revokeAdminKeys(ctx: Context, adminId: string): Promise<string[]> {
  return inTransaction(ctx, async (ctx) => {
    // Creating a key locks the creator's row: one in progress commits first and is revoked with the
    // others, or waits until the admin is gone.
    await ctx.db
      .select({ id: admins.id })
      .from(admins)
      .where(and(eq(admins.id, adminId), eq(admins.companyId, ctx.companyId)))
      .for("update");
    return revokeKeys(ctx, eq(apiKeys.creatorId, adminId));
  });
}

/** Every API call scans the list. */
const ENTRIES_MAX = 200;

/**
 * Parses a list of IP addresses and CIDR ranges into canonical form, without duplicates.
 *
 * @throws Refusal `invalid` naming the first five invalid entries
 */
export function readAllowList(list: string[]): string[] {
  if (list.length > ENTRIES_MAX)
    throw invalid(`The allow-list can have at most ${ENTRIES_MAX} entries`);
  const ranges = list.map((text) => readRange(text.trim()));
  const wrong = list.filter((_, at) => ranges[at] === null).slice(0, 5);
  if (wrong.length === 0) return [...new Set(ranges.filter((range) => range !== null))];
  const names = wrong.map((text) => JSON.stringify(text.slice(0, 80))).join(", ");
  throw invalid(
    wrong.length === 1
      ? `${names} is neither an IP address nor a CIDR range`
      : `${names} are neither IP addresses nor CIDR ranges`,
  );
}

const invalid = (problem: string) =>
  new Refusal("invalid", problem, { field: "allowed_addresses" });

const NAME_MAX = 50;

/**
 * Trims and validates a key's name.
 *
 * @throws Refusal `invalid`
 */
const readKeyName = (text: string): string =>
  readOneLine(text, "name", {
    max: NAME_MAX,
    message: `name must be 1 to ${NAME_MAX} characters, without control characters`,
  });

/** What an API key can be allowed to do. */
export const KEY_PERMISSIONS = apiKeyPermission.enumValues;
