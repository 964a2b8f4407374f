import { sql } from "drizzle-orm";

import type { Config } from "#server/config.ts";
import {
  listPlatformRecords,
  type PlatformRecord,
} from "#server/core/domains/own-domain/own-domain.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";

import { type Finding, ok, shortList, warning } from "./finding.ts";

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

/** Finds admins whose latest notice of the past week was not delivered: they'd miss notices about problems, too. */
export async function checkNoticeDelivery(db: Db): Promise<Finding> {
  const unreached = await listUnreachedAdmins(db);
  if (unreached.length === 0) return ok(PART, "No admin's latest notice bounced or failed");
  return warning(
    PART,
    `The latest notice to these admins was not delivered: ${shortList(unreached)}`,
    "Ask them for a working address, invite them at it under Team, and remove the admin with the old address",
  );
}

async function listUnreachedAdmins(db: Db): Promise<string[]> {
  const rows = await db.execute<{ address: string }>(sql`
    with newest as (
      select distinct on ("to"[1]) "to"[1] as address, last_event from emails
      where company_id in (select id from companies where purpose = 'platform')
        and created_at > clock_timestamp() - interval '7 days'
      order by "to"[1], created_at desc
    )
    select address from newest
    where last_event in ('bounced', 'failed', 'suppressed')
      and exists (select from admins where email = address)
    order by address`);
  return rows.map(({ address }) => address);
}
