import { and, asc, eq, isNotNull } from "drizzle-orm";
import { v7 } from "uuid";

import { domains } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { requirePublishable } from "#server/core/domains/records/publishable.ts";
import { readBareAddress } from "#server/core/shared/addresses/parse-address.ts";
import { countRecentAudits } from "#server/core/shared/audit/list-audit.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { createOutgoingHttp, type OutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { createZoneDns, type ZoneDns } from "#server/gateways/zone-dns.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { lockCompanyDomains, requireDomain } from "./require-domain.ts";

/** The company's first domain that can send, for working code examples; null if there is none. */
export async function findSendingDomain(ctx: Context): Promise<string | null> {
  const [domain] = await ctx.db
    .select({ name: domains.name })
    .from(domains)
    .where(
      and(
        eq(domains.companyId, ctx.companyId),
        eq(domains.status, "verified"),
        isNotNull(domains.ownershipProvenAt),
      ),
    )
    .orderBy(asc(domains.createdAt))
    .limit(1);
  return domain?.name ?? null;
}

/** Whether the company has a domain with this name; unless the caller's key is a test key, a verified one. */
export async function isSenderDomain(ctx: Context, name: string): Promise<boolean> {
  const verified = ctx.isTest ? undefined : eq(domains.status, "verified");
  const own = and(eq(domains.companyId, ctx.companyId), eq(domains.name, name), verified);
  return (await ctx.db.$count(domains, own)) > 0;
}

/** Emails with records that a company can send in an hour, to any addresses. */
const PER_HOUR_MAX = 10;

const HOUR_S = 3600;

/**
 * Emails the records of one of the company's domains to the person who manages its DNS, from the appliance's own domain.
 * Replies go to the admin.
 *
 * @param to an address without a name
 * @throws Refusal `not_found`; `invalid` for an invalid address or in local mode; `rate_limit_exceeded` after ten in an hour
 */
export async function emailRecords(
  ctx: Context,
  domainId: string,
  { to: written, sentBy }: { to: string; sentBy: string },
): Promise<void> {
  const domain = await requireDomain(ctx, domainId);
  requirePublishable(domain);
  const { name } = domain;
  const to = readBareAddress(written.trim());
  if (to === null) throw new Refusal("invalid", "to: must be a valid address");
  await inTransaction(ctx, async (ctx) => {
    await lockCompanyDomains(ctx);
    const sent = await countRecentAudits(ctx, "domain.records_emailed", HOUR_S);
    if (sent >= PER_HOUR_MAX)
      throw new Refusal(
        "rate_limit_exceeded",
        `You can email DNS records ${PER_HOUR_MAX} times an hour. Try again later, or download the zone file`,
      );
    await recordAudit(ctx, "domain.records_emailed", { domainId, name, to });
    await enqueue(ctx.db, "send_notice", {
      id: v7(),
      companyId: ctx.companyId,
      notice: { kind: "dns_records", domainId, to, sentBy },
    });
  });
}

let current: ZoneDns | undefined;
let http: OutgoingHttp | undefined;

/** The DNS client for domain checks, created once per process. */
export function domainDns(): ZoneDns {
  const { dnsServers, localMode } = config();
  return (current ??= createZoneDns({ dnsServers, allowPrivate: localMode }));
}

/** For requests to DNS providers. No private address is ever called. */
export const providerHttp = (): OutgoingHttp =>
  (http ??= createOutgoingHttp({ resolver: domainDns().resolver, allowedPrivate: [] }));
