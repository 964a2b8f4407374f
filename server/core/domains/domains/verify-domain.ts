import { and, eq, inArray, sql } from "drizzle-orm";

import {
  dkimKeys,
  type Domain,
  domainFindings,
  type DomainRecordKind,
  domains,
} from "#drizzle/schema/index.ts";
import { checkRecords, findOwnership } from "#server/core/domains/dns-checks/check-records.ts";
import {
  markOwnershipVerified,
  ownershipNotFound,
} from "#server/core/domains/ownership/ownership.ts";
import { requirePublishable } from "#server/core/domains/records/publishable.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";
import { createLogger } from "#server/processes/logger.ts";

import { publishDomainEvent, type Via } from "./domains.ts";
import { lockDomain, requireDomain } from "./require-domain.ts";
import { domainDns } from "./sending-domains.ts";

const logger = createLogger("domains");

/**
 * Checks a domain's records now. Once the ownership record is found, the domain is set up for sending. The other
 * records are checked in any case, because they can be published together with it. Safe to call concurrently.
 *
 * @throws Refusal `not_found`; `invalid` if the ownership record is missing, which makes the status
 *   `pending`, and if the domain could not be set up for sending
 */
export async function verifyDomain(
  ctx: Context,
  id: string,
  { via, dns = domainDns() }: { via: Via; dns?: ZoneDns },
): Promise<void> {
  const domain = await requireDomain(ctx, id);
  const isUnproven =
    domain.ownershipProvenAt === null &&
    !(await findOwnership(ctx, domain, dns)) &&
    (await markPending(ctx, domain, via));
  if (!isUnproven && (await needsSetUp(ctx, domain))) await setUp(ctx, domain);
  await checkRecords(ctx, domain.id, {
    dns,
    mode: "verify",
    onStatusChange: (ctx, changed) => publishChange(ctx, changed, via),
  });
  if (via === "api") wakeWebhooks(ctx.db);
  // The error contains the record.
  if (isUnproven && via === "console") requirePublishable(domain);
  if (isUnproven) throw await ownershipNotFound(ctx, domain);
}

const needsSetUp = async (ctx: Context, { id, ownershipProvenAt }: Domain): Promise<boolean> =>
  ownershipProvenAt === null || (await ctx.db.$count(dkimKeys, eq(dkimKeys.domainId, id))) === 0;

async function setUp(ctx: Context, domain: Domain): Promise<void> {
  try {
    await markOwnershipVerified(ctx, domain);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    logger.error({ err: error, domainId: domain.id }, "a domain could not be set up for sending");
    throw new Refusal(
      "invalid",
      `The ownership of ${domain.name} is verified, but the domain could not be set up for sending. Verify it again`,
    );
  }
}

/**
 * Sets the status after the ownership record wasn't found.
 *
 * @returns false if a concurrent check has found it meanwhile
 */
async function markPending(ctx: Context, { id }: Domain, via: Via): Promise<boolean> {
  const isUnproven = await inTransaction(ctx, async (ctx) => {
    const { status, ownershipProvenAt } = await lockDomain(ctx, id);
    if (ownershipProvenAt !== null) return false;
    const [domain] = await ctx.db
      .update(domains)
      .set({ status: "pending", checkedAt: sql`clock_timestamp()` })
      .where(eq(domains.id, id))
      .returning();
    if (status !== "pending") await publishChange(ctx, domain!, via);
    return true;
  });
  if (via === "api") wakeWebhooks(ctx.db);
  return isUnproven;
}

async function publishChange(ctx: Context, domain: Domain, via: Via): Promise<void> {
  if (via === "api") await publishDomainEvent(ctx, "domain.updated", domain);
}

/** In order of importance: required for sending, recommended, for receiving. */
const LISTED: DomainRecordKind[] = ["ownership", "spf", "dkim", "dmarc", "mx"];

/** Lists the records that the last check of each domain didn't find, most important first. */
export async function listMissingRecords(
  ctx: Context,
  domainIds: string[],
): Promise<Map<string, DomainRecordKind[]>> {
  const missing = new Map<string, DomainRecordKind[]>(domainIds.map((id) => [id, []]));
  if (domainIds.length === 0) return missing;
  const findings = await ctx.db
    .select({ domainId: domainFindings.domainId, record: domainFindings.record })
    .from(domainFindings)
    .where(and(inArray(domainFindings.domainId, domainIds), eq(domainFindings.isVerified, false)));
  for (const record of LISTED)
    for (const found of findings)
      if (found.record === record) missing.get(found.domainId)?.push(record);
  return missing;
}
