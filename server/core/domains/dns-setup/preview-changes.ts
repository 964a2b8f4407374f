import { checkRecords } from "#server/core/domains/dns-checks/check-records.ts";
import { loadDomain } from "#server/core/domains/dns-checks/load-domain.ts";
import type { Context } from "#server/core/shared/context.ts";

import type { DnsCredentials, HostedZone } from "./dns-host.ts";
import {
  type ConnectHost,
  connectHost,
  type DnsHostId,
  openZone,
  toRefusal,
} from "./internal/open-zone.ts";
import { digestPlan, type Plan, planChanges, type PlannedChange } from "./internal/plan-changes.ts";

export type { PlannedChange } from "./internal/plan-changes.ts";
export { DNS_HOST_IDS } from "./internal/open-zone.ts";

export type SetupAccess = {
  host: DnsHostId;
  credentials: DnsCredentials;
  connect?: ConnectHost;
};

/**
 * Reads the zone of one of the company's domains at its DNS provider and plans the changes. Changes nothing.
 *
 * @returns `digest` identifies the plan for `publishRecords`
 * @throws Refusal `not_found`; `invalid` if the provider rejects the credentials or fails
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

export async function preparePlan(
  ctx: Context,
  domainId: string,
  { host, credentials, connect = connectHost }: SetupAccess,
): Promise<{ domain: string; zone: HostedZone; plan: Plan }> {
  const known = await loadWithKey(ctx, domainId);
  const { name } = known.domain;
  const zone = await openZone(name, { id: host, credentials, connect });
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
