import { Resolver } from "node:dns/promises";

import type { Config } from "#server/config.ts";
import { type PlatformRecord, platformRecords } from "#server/core/platform/platform-records.ts";
import type { Db } from "#server/db/client.ts";

import { type Finding, ok, warning } from "./finding.ts";

const PART = "notices";
const DNS_TIMEOUT_MS = 3_000;

/** The texts of a name's TXT records; none when it has none, or nobody answers. */
type ReadTexts = (name: string) => Promise<string[]>;

/**
 * Whether receivers can tell that the appliance's own emails to owners are genuine: what their domain
 * has to have in the DNS. In local mode they stay on the machine.
 */
export async function lookAtNotices(
  db: Db,
  settings: Config,
  read: ReadTexts = readWith(settings),
): Promise<Finding[]> {
  if (settings.localMode) return [];
  const records = await platformRecords(db, settings);
  const missing: PlatformRecord[] = [];
  for (const record of records)
    if (!isPublished(record, await read(record.name))) missing.push(record);
  if (missing.length === 0) return [ok(PART, "their domain has its SPF and DKIM records")];
  return missing.map(({ record, name, value }) =>
    warning(
      PART,
      `${name} has no ${record} record in the DNS, so emails to owners may end as spam`,
      `Publish it as TXT: ${value}`,
    ),
  );
}

/** An SPF record of the operator's own choice is theirs to judge. */
const isPublished = ({ record, value }: PlatformRecord, texts: string[]) =>
  texts.some((text) => (record === "SPF" ? /^v=spf1( |$)/i.test(text) : text === value));

function readWith({ dnsServers }: Config): ReadTexts {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 1 });
  if (dnsServers)
    resolver.setServers(
      dnsServers.map(({ address, port }) =>
        address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`,
      ),
    );
  return async (name) => {
    const records = await resolver.resolveTxt(name).catch(() => []);
    return records.map((strings) => strings.join(""));
  };
}
