import { checkRecords, loadDomain } from "#server/core/domains/dns-checks/check-records.ts";
import { requirePublishable } from "#server/core/domains/records/publishable.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { DnsHostFailure, type HostedZone } from "./dns-host.ts";
import {
  type ConnectHost,
  connectHost,
  type DnsHostId,
  failureText,
  openZone,
  toRefusal,
} from "./internal/open-zone.ts";
import {
  digestPlan,
  planChanges,
  type PlannedChange,
  type RecordPlan,
} from "./internal/plan-changes.ts";

export type { PlannedChange } from "./internal/plan-changes.ts";
export { DNS_HOST_IDS } from "./internal/open-zone.ts";

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
