import { and, eq, isNotNull } from "drizzle-orm";

import { admins, type ApiKey, apiKeys, domains } from "#drizzle/schema/index.ts";
import { isOlderVersionRunning } from "#server/core/platform/processes/is-older-version-running.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { readAllowList } from "./read-allow-list.ts";
import { readKeyName } from "./internal/key-name.ts";
import { hashKeyToken, newKeyToken } from "./key-token.ts";

/**
 * Creates an API key that acts with the privileges of `creatorId`. Only the token's hash is stored.
 *
 * @throws Refusal `invalid` for a bad name, domain or address, or a test key while an older version runs; `invalid_permission` if the creator was
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
  if (isTest) await requireTestMode(ctx);
  const { token, prefix } = newKeyToken(isTest);

  return inTransaction(ctx, async (ctx) => {
    await requireCreator(ctx, input.creatorId);
    if (input.domainId !== null) await requireVerifiedOwnership(ctx, input.domainId);
    const [key] = await ctx.db
      .insert(apiKeys)
      .values({
        ...{ ...input, companyId: ctx.companyId, name, allowedAddresses },
        ...{ prefix, secretHash: hashKeyToken(token) },
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

/** Versions without test mode would take a test key for one with full access, and deliver its emails. */
async function requireTestMode({ db }: Context) {
  if (await isOlderVersionRunning(db))
    throw new Refusal(
      "invalid",
      "Test keys can't be created while a host runs an older version of Posthouse, which would deliver their emails. Upgrade all hosts, and try again a minute later",
      { field: "permission", retryAfterSeconds: 60 },
    );
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
    "domain_id is not a domain of the company whose ownership is verified",
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
