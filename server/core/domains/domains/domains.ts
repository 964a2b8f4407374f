import { and, count, eq, getTableColumns, sql } from "drizzle-orm";

import {
  companies,
  deletedItems,
  type DkimKey,
  type Domain,
  type DomainFinding,
  domainFindings,
  domains,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { listDomainRecords, loadDomain } from "#server/core/domains/dns-checks/check-records.ts";
import { claimName, expireName, isOwnedElsewhere } from "#server/core/domains/ownership/claims.ts";
import { ownershipToken } from "#server/core/domains/ownership/ownership.ts";
import type { DomainRecord } from "#server/core/domains/records/domain-records.ts";
import { type ReturnPath, returnPathInUse } from "#server/core/domains/records/return-path.ts";
import { findTrackingHost } from "#server/core/platform/certificates/certificate-names.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { reservedText, selectDeleted } from "#server/core/shared/deleted-items/deleted-items.ts";
import {
  type CountedPage,
  type PageRequest,
  pageSorted,
  type Sort,
  sortOrders,
} from "#server/core/shared/paging/pages.ts";
import { pluralize } from "#server/core/shared/text.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { publishEvent, wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";

import { requireNotReserved, requireTrackingHost } from "./internal/reserved-names.ts";
import { parseDomainName } from "./parse-domain-name.ts";
import { isLive, lockCompanyDomains, lockDomain, lockName } from "./require-domain.ts";

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
      eq(deletedItems.name, name),
      eq(deletedItems.kind, "domain"),
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

/** A domain with its records and the results of the last check. */
export type DomainDetails = {
  domain: Domain;
  /** Only the ownership record until ownership is verified. */
  records: DomainRecord[];
  findings: DomainFinding[];
  /** The MX record pointed here at the last check. */
  receives: boolean;
  returnPath: ReturnPath;
  /** Whose records must stay published for a while, newest last. */
  retiredKeys: DkimKey[];
  isRotating: boolean;
  /** Links of new emails use the domain's tracking host. */
  isTrackingHostInUse: boolean;
};

/** @throws Refusal `not_found` */
export async function getDomain(ctx: Context, id: string): Promise<DomainDetails> {
  const known = await loadDomain(ctx, id);
  const { domain, findings } = known;
  const receives =
    domain.ownershipProvenAt !== null &&
    findings.some(({ record, isVerified }) => record === "mx" && isVerified);
  const returnPath = returnPathInUse(domain, config());
  const { dkim_next: next, dkim_ed25519_next: other } = known.dkimKeys;
  return {
    domain,
    records: listDomainRecords(known),
    findings,
    receives,
    returnPath,
    retiredKeys: known.retiredKeys,
    isRotating: Boolean(next ?? other),
    isTrackingHostInUse: (await findTrackingHost(ctx.db, domain.id, config())) !== null,
  };
}

/** A domain, and whether its MX record pointed here at the last check. */
export type ListedDomain = Domain & { receives: boolean };

/** A subquery per row uses an index, whatever the planner's row estimates. */
const RECEIVES = sql<boolean>`coalesce((select f.is_verified from domain_findings f
  where f.domain_id = domains.id and f.record = 'mx'), false)
  and domains.ownership_proven_at is not null`;

type DomainSort = Sort<"name" | "created">;

const orderOf = sortOrders({ name: domains.name, created: domains.createdAt });
const NEWEST_FIRST: DomainSort = { by: "created", direction: "descending" };

/**
 * Returns a page of the company's domains.
 *
 * @throws Refusal `invalid` for a cursor that is not in the list
 */
export async function listDomains(
  ctx: Context,
  page: PageRequest,
  sort = NEWEST_FIRST,
): Promise<CountedPage<ListedDomain>> {
  const list = pageSorted(ctx.db, domains, orderOf(sort), { inList: inList(ctx) }, page);
  return list.read(
    ctx.db.select({ ...getTableColumns(domains), receives: RECEIVES }).from(domains),
  );
}

const inList = (ctx: Context) => and(eq(domains.companyId, ctx.companyId), isLive)!;

const SETTINGS = [
  ...(["openTracking", "clickTracking", "oneClickUnsubscribe", "trackingSubdomain"] as const),
];

type Settings = Pick<Domain, (typeof SETTINGS)[number]>;

/** Omitted values stay. A tracking subdomain of null: links use this server's own host. */
export type DomainChanges = { [Name in keyof Settings]?: Settings[Name] | undefined };

/**
 * Changes the settings of a domain's future emails. Unchanged values cause neither an event nor an audit entry.
 *
 * @throws Refusal `not_found`; `invalid` if the tracking subdomain can't be used
 */
export async function updateDomain(
  ctx: Context,
  id: string,
  changes: DomainChanges,
): Promise<void> {
  const isChanged = await inTransaction(ctx, async (ctx) => {
    const domain = await lockDomain(ctx, id);
    const changed = SETTINGS.flatMap((name) => {
      const to = changes[name];
      return to === undefined || to === domain[name] ? [] : [[name, to] as const];
    });
    if (changed.length === 0) return false;
    const to: Partial<Settings> = Object.fromEntries(changed);
    if (to.trackingSubdomain !== undefined)
      await changeTrackingHost(ctx, { ...domain, trackingSubdomain: to.trackingSubdomain });
    await ctx.db.update(domains).set(to).where(eq(domains.id, domain.id));
    await recordAudit(ctx, "domain.updated", { domainId: domain.id, name: domain.name, ...to });
    await publishDomainEvent(ctx, "domain.updated", domain);
    return true;
  });
  if (isChanged) wakeWebhooks(ctx.db);
}

/** What was found at the former host says nothing about the new one. */
async function changeTrackingHost(ctx: Context, domain: Domain): Promise<void> {
  await requireTrackingHost(ctx.db, domain);
  const { domainId, record } = domainFindings;
  await ctx.db.delete(domainFindings).where(and(eq(domainId, domain.id), eq(record, "tracking")));
}

/** Whether the API or the console changed the domain: changes in the console send no events. */
export type Via = "api" | "console";

/** Publishes an event with the domain's current state; see `publishEvent`. */
export async function publishDomainEvent(
  ctx: Context,
  type: "domain.created" | "domain.updated" | "domain.deleted",
  { id, name, status, createdAt }: Pick<Domain, "id" | "name" | "status" | "createdAt">,
): Promise<void> {
  const created_at = new Date(createdAt).toISOString();
  await publishEvent(ctx, type, { id, name, status, created_at });
}
