import type { Config } from "#server/config.ts";
import {
  type PlatformRecord,
  platformRecords,
} from "#server/core/domains/own-domain/platform-records.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";

import { type Finding, ok, warning } from "./finding.ts";

const PART = "notices";

/**
 * Whether receivers can tell that the appliance's own emails to owners are genuine: what their domain
 * has to have in the DNS. In local mode they stay on the machine.
 */
export async function checkNotices(
  db: Db,
  settings: Config,
  dns: Pick<Resolver, "txt">,
): Promise<Finding[]> {
  if (settings.localMode) return [];
  const records = await platformRecords(db, settings);
  const missing: PlatformRecord[] = [];
  for (const record of records)
    if (!isPublished(record, await lookUpTexts(dns, record.name))) missing.push(record);
  if (missing.length === 0) return [ok(PART, "The SPF and DKIM records for notices are published")];
  return missing.map(({ record, name, value }) =>
    warning(
      PART,
      `${name} has no ${record} record, so notices to admins may be marked as spam`,
      `Publish this TXT record: ${value}`,
    ),
  );
}

/** An SPF record of the operator's own choice is theirs to judge. */
const isPublished = ({ record, value }: PlatformRecord, texts: string[]) =>
  texts.some((text) => (record === "SPF" ? /^v=spf1( |$)/i.test(text) : text === value));

/** None when the name has none, or nobody answers. */
async function lookUpTexts(dns: Pick<Resolver, "txt">, name: string): Promise<string[]> {
  const answer = await dns.txt(name);
  return answer.kind === "found" ? answer.records : [];
}
