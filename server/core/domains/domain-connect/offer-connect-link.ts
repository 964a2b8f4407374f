import type { DomainRecordKind } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { loadDomain } from "#server/core/domains/dns-checks/check-records.ts";
import { domainDns, providerHttp } from "#server/core/domains/domains/sending-domains.ts";
import { zoneNames } from "#server/core/domains/doctor/probe.ts";
import type { Context } from "#server/core/shared/context.ts";
import { PromiseCache } from "#server/core/shared/promise-cache.ts";
import type { OutgoingHttp } from "#server/gateways/outgoing-http.ts";

import { applyUrl, readSigningKey, templatePath } from "./internal/apply-url.ts";
import {
  type ConnectGateways,
  type ConnectProvider,
  discoverProvider,
} from "./internal/discover-provider.ts";
import { templateValues } from "./internal/template-values.ts";

/** A link to a DNS provider, where the user approves the records and returns. */
export type ConnectLink = { provider: string; records: DomainRecordKind[]; url: string };

const CACHE_TTL_MS = 10 * 60_000;
const ENTRIES_MAX = 200;

/** By HTTP client, then by domain. */
const providers = new WeakMap<OutgoingHttp, PromiseCache<ConnectProvider | null>>();

/**
 * Returns the Domain Connect link that publishes the missing records of one of the company's domains. Null if the operator
 * has no template, the domain's DNS provider doesn't have it, or nothing can be published with it.
 *
 * @throws Refusal `not_found`
 */
export async function offerConnectLink(
  ctx: Context,
  domainId: string,
  gateways?: ConnectGateways,
): Promise<ConnectLink | null> {
  const known = await loadDomain(ctx, domainId);
  const { domainConnect, baseUrl } = config();
  if (!domainConnect) return null;
  const { records, variables } = templateValues(known);
  if (records.length === 0) return null;
  const { name, id } = known.domain;
  const provider = await findProvider(name, templatePath(domainConnect), gateways);
  if (!provider) return null;
  const parameters = {
    ...variables,
    domain: provider.zone,
    ...(name !== provider.zone && { host: name.slice(0, -provider.zone.length - 1) }),
    groupId: records.join(","),
    redirect_uri: `${baseUrl}/console/domains/${id}?from=dns-provider`,
  };
  return {
    provider: provider.name,
    records,
    url: applyUrl(provider.urlSyncUX, parameters, domainConnect),
  };
}

function findProvider(
  domain: string,
  path: string,
  gateways: ConnectGateways = { http: providerHttp(), resolver: domainDns().resolver },
): Promise<ConnectProvider | null> {
  const cache =
    providers.get(gateways.http) ?? new PromiseCache({ max: ENTRIES_MAX, ttlMs: CACHE_TTL_MS });
  providers.set(gateways.http, cache);
  return cache.get(domain, () => discoverProvider(gateways, zoneNames(domain), path));
}

/** Checks the key at startup, before a link needs it. @throws ConfigError */
export function requireConnectKey(): void {
  const { domainConnect } = config();
  if (domainConnect) readSigningKey(domainConnect);
}
