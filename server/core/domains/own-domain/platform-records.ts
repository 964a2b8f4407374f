import { and, eq } from "drizzle-orm";

import { dkimKeys, domains } from "#drizzle/schema/index.ts";
import { type Config, config } from "#server/config.ts";
import { dkimRecord } from "#server/core/sending/dkim/dkim-record.ts";
import type { Db } from "#server/db/client.ts";

import { ensurePlatform } from "./ensure-platform.ts";

/** A TXT record of the domain that the appliance's own emails are sent from. */
export type PlatformRecord = { record: "DKIM" | "SPF"; name: string; value: string };

/** The records that the operator should publish so that receivers trust the appliance's notices. */
export async function listPlatformRecords(
  db: Db,
  home: Pick<Config, "hostname" | "localMode"> = config(),
): Promise<PlatformRecord[]> {
  const { companyId, domain } = await ensurePlatform(db, home);
  const [found] = await db
    .select()
    .from(dkimKeys)
    .innerJoin(domains, eq(domains.id, dkimKeys.domainId))
    .where(
      and(
        ...[eq(domains.companyId, companyId), eq(domains.name, domain)],
        ...[eq(dkimKeys.algorithm, "rsa"), eq(dkimKeys.state, "active")],
      ),
    );
  const { selector } = found!.dkim_keys;
  return [
    {
      record: "DKIM",
      name: `${selector}._domainkey.${domain}`,
      value: dkimRecord(found!.dkim_keys),
    },
    { record: "SPF", name: domain, value: `v=spf1 a:${home.hostname} -all` },
  ];
}
