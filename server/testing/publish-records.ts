import type { DomainRecordKind } from "#drizzle/schema/index.ts";
import { listDomainRecords, loadDomain } from "#server/core/domains/dns-checks/check-records.ts";

import { aContext } from "./factories.ts";
import type { FakeDns } from "./fake-dns.ts";

/** Publishes the records of a domain on a DNS server, all but `except`. */
export async function publishRecords(
  { records }: Pick<FakeDns, "records">,
  domain: { id: string; companyId: string; name: string },
  { except = [] }: { except?: DomainRecordKind[] } = {},
): Promise<void> {
  const known = await loadDomain(aContext(domain.companyId), domain.id);
  for (const name of Object.keys(records))
    if (name === domain.name || name.endsWith(`.${domain.name}`))
      Reflect.deleteProperty(records, name);
  for (const { record, name, type, value, priority } of listDomainRecords(known)) {
    if (except.includes(record)) continue;
    const owner = records[name];
    const entry = priority === undefined ? value : `${priority} ${value}`;
    records[name] = { ...(typeof owner === "object" && owner), [type]: [entry] };
  }
}
