import { checkRecords, loadDomain } from "#server/core/domains/dns-checks/check-records.ts";
import { zoneNames } from "#server/core/domains/doctor/probe.ts";
import { providerHttp } from "#server/core/domains/domains/sending-domains.ts";
import { requirePublishable } from "#server/core/domains/records/publishable.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { OutgoingHttp } from "#server/gateways/outgoing-http.ts";

import { type DnsHost, DnsHostFailure, type HostedZone } from "./dns-host.ts";
import { cloudflare, digitalOcean, hetzner } from "./internal/hosts.ts";
import {
  digestPlan,
  planChanges,
  type PlannedChange,
  type RecordPlan,
} from "./internal/plan-changes.ts";

export type { PlannedChange } from "./internal/plan-changes.ts";

export type SetupAccess = {
  host: DnsHostId;
  token: string;
  connect?: ConnectHost;
};

/**
 * Reads the zone of one of the company's domains at its DNS provider and plans the changes. Changes nothing.
 *
 * @returns `digest` identifies the plan for `publishRecords`
 * @throws Refusal `not_found`; `invalid` in local mode, or if the provider rejects the token or fails
 */
export async function previewChanges(
  ctx: Context,
  domainId: string,
  access: SetupAccess,
): Promise<{ zone: string; changes: PlannedChange[]; digest: string }> {
  const { zone, plan } = await preparePlan(ctx, domainId, access);
  return {
    zone: zone.name,
    changes: plan.map(({ change }) => change),
    digest: digestPlan(plan),
  };
}

async function preparePlan(
  ctx: Context,
  domainId: string,
  { host, token, connect = connectHost }: SetupAccess,
): Promise<{ domain: string; zone: HostedZone; plan: RecordPlan }> {
  const known = await loadWithKey(ctx, domainId);
  requirePublishable(known.domain);
  const { name } = known.domain;
  const zone = await openZone(name, { id: host, token, connect });
  const hosted = await zone.list().catch((error: unknown) => {
    throw toRefusal(error, host);
  });
  return { domain: name, zone, plan: planChanges(known, hosted) };
}

/** The first check creates the DKIM keys. */
async function loadWithKey(ctx: Context, domainId: string) {
  const known = await loadDomain(ctx, domainId);
  if (known.dkimKeys.dkim) return known;
  await checkRecords(ctx, domainId, { mode: "verify" });
  return loadDomain(ctx, domainId);
}

export type PublishResult = Pick<PlannedChange, "key" | "name" | "type"> & {
  outcome: "published" | "failed" | "skipped";
  /** Why it failed. */
  error: string | null;
};

/**
 * Publishes the records of one of the company's domains at its DNS provider, as reviewed. Stops at the first failure that
 * further changes would share. A second run publishes what is missing.
 *
 * @param digest of the plan that the admin has reviewed
 * @param confirmed keys of replaced records that need a confirmation; the others are skipped
 * @throws Refusal `not_found`; `invalid` if the zone has changed since, or the provider rejects the token or fails
 */
export async function publishRecords(
  ctx: Context,
  domainId: string,
  access: SetupAccess & { digest: string; confirmed: string[] },
): Promise<PublishResult[]> {
  const { domain, zone, plan } = await preparePlan(ctx, domainId, access);
  if (digestPlan(plan) !== access.digest)
    throw new Refusal(
      "invalid",
      "The records have changed since you reviewed them. Review the changes again",
    );
  const results = await writePlan(zone, plan, access);
  const published = results.filter(({ outcome }) => outcome === "published");
  if (published.length > 0)
    await recordAudit(ctx, "domain.records_published", {
      domainId,
      name: domain,
      provider: access.host,
      count: published.length,
      records: published.map(({ type, name }) => `${type} ${name}`),
    });
  return results;
}

async function writePlan(
  zone: HostedZone,
  plan: RecordPlan,
  { host, confirmed }: SetupAccess & { confirmed: string[] },
): Promise<PublishResult[]> {
  const results: PublishResult[] = [];
  let hasStopped = false;
  for (const { change, set } of plan) {
    const { key, name, type, action, needsConfirmation } = change;
    if (action === "keep") continue;
    const isWanted = action !== "blocked" && (!needsConfirmation || confirmed.includes(key));
    const result = { key, name, type, outcome: "skipped" as const, error: null };
    if (!isWanted || hasStopped) {
      results.push(result);
      continue;
    }
    try {
      await zone.write(set);
      results.push({ ...result, outcome: "published" });
    } catch (error) {
      if (!(error instanceof DnsHostFailure)) throw error;
      hasStopped = error.kind !== "rejected";
      results.push({
        ...result,
        outcome: "failed",
        error: failureText(error, host).replace(/^token: /, ""),
      });
    }
  }
  return results;
}

type Connect = (api: { http: OutgoingHttp }, token: string) => DnsHost;

/** The providers whose API we use, by the id in `doctor/providers.ts`. */
const DNS_HOSTS = {
  cloudflare: { name: "Cloudflare", connect: cloudflare },
  digitalocean: { name: "DigitalOcean", connect: digitalOcean },
  hetzner: { name: "Hetzner", connect: hetzner },
} satisfies Record<string, { name: string; connect: Connect }>;

export type DnsHostId = keyof typeof DNS_HOSTS;
export const DNS_HOST_IDS = Object.keys(DNS_HOSTS) as [DnsHostId, ...DnsHostId[]];

/**
 * Replaces the provider in tests.
 *
 * @param token used for one request and never stored or logged
 */
type ConnectHost = (id: DnsHostId, token: string) => DnsHost;

const connectHost: ConnectHost = (id, token) =>
  DNS_HOSTS[id].connect({ http: providerHttp() }, token);

/**
 * Opens the zone that contains a domain.
 *
 * @throws Refusal `invalid` if the provider rejects the token, doesn't have the zone, or fails
 */
async function openZone(
  domain: string,
  { id, token, connect }: { id: DnsHostId; token: string; connect: ConnectHost },
): Promise<HostedZone> {
  const { name } = DNS_HOSTS[id];
  const zone = await connect(id, token)
    .openZone(zoneNames(domain))
    .catch((error: unknown) => {
      throw toRefusal(error, id);
    });
  if (zone) return zone;
  throw new Refusal(
    "invalid",
    `token: This ${name} account has no DNS zone for ${domain}, or the token may not use it.`,
  );
}

/** Says what failed, without anything that was sent to the provider. */
const toRefusal = (error: unknown, id: DnsHostId): unknown =>
  error instanceof DnsHostFailure ? new Refusal("invalid", failureText(error, id)) : error;

function failureText({ kind }: DnsHostFailure, id: DnsHostId): string {
  const { name } = DNS_HOSTS[id];
  switch (kind) {
    case "credentials":
      return `token: ${name} rejected the token. Check that it’s complete and may edit DNS records of the domain.`;
    case "rate_limit":
      return `${name} received too many requests. Try again in a few minutes`;
    case "unavailable":
      return `${name} didn’t respond. Try again in a few minutes`;
    case "rejected":
      return `${name} rejected the request`;
    case "zone_too_large":
      return `The zone at ${name} has too many records to be changed here. Create the records at ${name} instead`;
  }
}
