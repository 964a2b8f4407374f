import { and, count, eq, sql } from "drizzle-orm";

import { companies, deletedItems, type Domain, domains } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { pluralize } from "#server/core/shared/pluralize.ts";
import { selectDeleted } from "#server/core/shared/deleted-items/find-deleted.ts";
import { reservedText } from "#server/core/shared/deleted-items/reserved-by-deleted.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/wake-deliveries.ts";

import { claimName } from "#server/core/domains/ownership/claim-name.ts";
import { expireName } from "#server/core/domains/ownership/expire-claims.ts";
import { type DomainDetails, getDomain } from "./get-domain.ts";
import { isLive } from "./is-live.ts";
import { isOwnedElsewhere } from "#server/core/domains/ownership/is-owned-elsewhere.ts";
import { lockCompanyDomains, lockName } from "./locks.ts";
import { ownershipToken } from "#server/core/domains/ownership/ownership-token.ts";
import { publishDomainEvent, type Via } from "./internal/publish-domain-event.ts";
import { parseDomainName } from "./parse-domain-name.ts";
import type { DomainChanges } from "./update-domain.ts";
import { requireTrackingHost } from "./internal/require-tracking-host.ts";
import { requireNotReserved } from "./internal/require-not-reserved.ts";

/** Domains of a company with pending ownership verification. */
const PENDING_MAX = 10;

type TrackingChoice = Pick<DomainChanges, "openTracking" | "clickTracking" | "trackingSubdomain">;

/**
 * Adds a domain. Its ownership must be verified within seven days of the company's first addition of the
 * name; see `claimName`.
 *
 * @param name as entered, see `parseDomainName`
 * @throws Refusal `invalid` for an invalid name or tracking subdomain, `account_inactive`, `too_many_pending`, and `not_allowed` if
 *   the name is unavailable or the plan's limit is reached
 */
export async function addDomain(
  ctx: Context,
  { name: written, ...tracking }: { name: string } & TrackingChoice,
  { via }: { via: Via },
): Promise<DomainDetails> {
  const name = parseDomainName(written);
  requireNotReserved(name);
  const added = await inTransaction(ctx, async (ctx) => {
    await lockName(ctx, name);
    await lockCompanyDomains(ctx);
    await expireName(ctx, name);
    await requireFree(ctx, name);
    await requireUnderLimits(ctx, { isVerified: false });
    const refused = await claimName(ctx, name);
    if (refused) return refused;
    await requireTrackingHost(ctx.db, { name, ...tracking });
    const domain = await insertDomain(ctx, name, tracking);
    await recordAudit(ctx, "domain.added", { domainId: domain.id, name });
    if (via === "api") await publishDomainEvent(ctx, "domain.created", domain);
    return domain;
  });
  if (added instanceof Refusal) throw added;
  if (via === "api") wakeWebhooks(ctx.db);
  return getDomain(ctx, added.id);
}

async function insertDomain(ctx: Context, name: string, tracking: TrackingChoice): Promise<Domain> {
  const { companyId } = ctx;
  const [domain] = await ctx.db
    .insert(domains)
    .values({ companyId, name, ownershipToken: ownershipToken(companyId, name), ...tracking })
    .returning();
  return domain!;
}

/** Requires that neither another company nor this one has the name, or could restore it. */
async function requireFree(ctx: Context, name: string): Promise<void> {
  const isOwn = eq(domains.companyId, ctx.companyId);
  const [own] = await ctx.db
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.name, name), isOwn));
  if (own)
    throw new Refusal("not_allowed", `${name} is already one of your domains (id ${own.id})`, {
      field: "name",
    });
  const [deleted] = await selectDeleted(
    ctx,
    and(
      ...[eq(deletedItems.name, name), eq(deletedItems.kind, "domain")],
      eq(deletedItems.isReserved, true),
    ),
  );
  if (deleted) throw new Refusal("not_allowed", reservedText(name, deleted), { field: "name" });
  await requireNotOwnedElsewhere(ctx, name);
}

/** @throws Refusal `not_allowed` */
export async function requireNotOwnedElsewhere(ctx: Context, name: string): Promise<void> {
  if (await isOwnedElsewhere(ctx, name))
    throw new Refusal(
      "not_allowed",
      `${name} is already registered by another company that verified its ownership. If it is yours, ask them to delete it permanently, or contact the operator of this service`,
      { field: "name" },
    );
}

/**
 * Requires that the company can have one more domain.
 *
 * @param isVerified whether its ownership is verified, so that it doesn't count as pending
 * @throws Refusal `account_inactive`, `not_allowed`, `too_many_pending`
 */
export async function requireUnderLimits(
  ctx: Context,
  { isVerified }: { isVerified: boolean },
): Promise<void> {
  const isOwn = eq(companies.id, ctx.companyId);
  const [company] = await ctx.db
    .select({ isActive: companies.subscriptionActive, domainsMax: companies.domainsMax })
    .from(companies)
    .where(isOwn);
  if (!company?.isActive)
    throw new Refusal(
      "account_inactive",
      "The company has no active subscription, so it can't add domains",
    );
  const [has] = await ctx.db
    .select({
      all: count(),
      pending: sql<number>`(count(*) filter (where ${domains.ownershipProvenAt} is null))::int`,
    })
    .from(domains)
    .where(and(eq(domains.companyId, ctx.companyId), isLive));
  if (company.domainsMax !== null && has!.all >= company.domainsMax)
    throw new Refusal(
      "not_allowed",
      `Your plan allows ${pluralize(company.domainsMax, "domain")}. Delete one, or ask for a larger plan`,
    );
  if (!isVerified && has!.pending >= PENDING_MAX)
    throw new Refusal(
      "too_many_pending",
      `${has!.pending} domains are already waiting for ownership verification. Verify or delete one of them first`,
    );
}
