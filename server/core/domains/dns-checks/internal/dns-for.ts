import type { DnsFinding } from "#drizzle/schema/index.ts";
import { SANDBOX_DOMAIN } from "#server/core/domains/domains/sandbox-domain.ts";
import type { ZoneDns, ZoneQuestion } from "#server/gateways/zone-dns.ts";

import {
  type KnownDomain,
  listDomainRecords,
} from "#server/core/domains/dns-checks/load-domain.ts";

type Known = Pick<KnownDomain, "domain" | "dkimKeys">;

/**
 * The DNS client for a domain. No DNS serves the sandbox's domain, so the appliance answers with the records
 * it would have to publish.
 */
export function createDnsClient({ domain, dkimKeys }: Known, dns: ZoneDns): ZoneDns {
  if (domain.name !== SANDBOX_DOMAIN) return dns;
  const published = listDomainRecords({ domain, dkimKeys, findings: [] });
  const ask = ({ name, type }: ZoneQuestion): DnsFinding[] => {
    const records = published
      .filter((record) => record.name === name && record.type === type)
      .map(({ value, priority }) => (priority === undefined ? [value] : [String(priority), value]));
    const kind = records.length > 0 ? "found" : "no_name";
    return [{ server: "this appliance", address: null, kind, records, cname: null, reason: null }];
  };
  return {
    ...dns,
    ask: (name, type) => Promise.resolve(ask({ name, type })),
    askAll: (questions) => Promise.resolve(questions.map(ask)),
  };
}
