import type { Config } from "#server/config.ts";
import {
  type PlatformRecord,
  listPlatformRecords,
} from "#server/core/domains/own-domain/platform-records.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";

import { type Finding, ok, warning } from "./finding.ts";

const PART = "notices";

/** Checks the SPF and DKIM records of the domain that notices are sent from. Local mode needs none. */
export async function checkNotices(
  db: Db,
  settings: Config,
  dns: Pick<Resolver, "txt">,
): Promise<Finding[]> {
  if (settings.localMode) return [];
  const missing = await findMissingNoticeRecords(db, settings, dns);
  if (missing.length === 0) return [ok(PART, "The SPF and DKIM records for notices are published")];
  return missing.map(({ record, name, value }) =>
    warning(
      PART,
      `${name} has no ${record} record, so notices to admins may be marked as spam`,
      `Publish this TXT record: ${value}`,
    ),
  );
}

/** The SPF and DKIM records of the domain that notices are sent from that DNS doesn't have. */
export async function findMissingNoticeRecords(
  db: Db,
  settings: Config,
  dns: Pick<Resolver, "txt">,
): Promise<PlatformRecord[]> {
  const missing: PlatformRecord[] = [];
  for (const record of await listPlatformRecords(db, settings))
    if (!isPublished(record, await lookUpTexts(dns, record.name))) missing.push(record);
  return missing;
}

/** Accepts any SPF record, since operators can write their own. */
const isPublished = ({ record, value }: PlatformRecord, texts: string[]) =>
  texts.some((text) => (record === "SPF" ? /^v=spf1( |$)/i.test(text) : text === value));

/** Empty if the lookup fails. */
async function lookUpTexts(dns: Pick<Resolver, "txt">, name: string): Promise<string[]> {
  const answer = await dns.txt(name);
  return answer.kind === "found" ? answer.records : [];
}
