import { sql } from "drizzle-orm";

import { dmarcCounts } from "#drizzle/schema/index.ts";
import type { Verdict } from "#server/core/mail/authentication/verify-message.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { type CountedDay, dailyCounts } from "#server/core/shared/daily-counts.ts";
import type { Db } from "#server/db/client.ts";

/** What a row of a report says about messages, besides their source and number. */
export type DmarcResult = {
  headerFrom: string;
  disposition: "none" | "quarantine" | "reject";
  dkim: "pass" | "fail";
  spf: "pass" | "fail";
  /** Results regardless of alignment. */
  spfResult: { domain: string; scope: "mfrom" | "helo"; result: string } | null;
  signatures: { domain: string; selector: string; result: string }[];
};

/** A message, as it's counted. */
export type DmarcRow = {
  /** In UTC. */
  day: string;
  /** The domain with the DMARC record. */
  domain: string;
  sourceIp: string;
  /** A `DmarcResult` as JSON. */
  result: string;
};

export type DmarcCount = Pick<DmarcRow, "sourceIp"> & { result: DmarcResult; count: number };

const SIGNATURES_MAX = 3;
/** Limit for all domains together, against floods of forged senders. */
const ROWS_PER_DAY_MAX = 200_000;
const ROWS_PER_REPORT_MAX = 20_000;

/** How a message counts in a DMARC report; null if its domain doesn't ask for one. */
export function toDmarcRow(
  { spf, dkim, dmarc }: Pick<Verdict, "spf" | "dkim" | "dmarc">,
  {
    clientAddress,
    disposition,
  }: { clientAddress: string; disposition: DmarcResult["disposition"] },
): DmarcRow | null {
  const { reporting } = dmarc;
  if (!reporting || dmarc.domain === null) return null;
  const result: DmarcResult = {
    headerFrom: dmarc.domain,
    disposition,
    dkim: reporting.isDkimAligned ? "pass" : "fail",
    spf: reporting.isSpfAligned ? "pass" : "fail",
    spfResult:
      spf.domain === null
        ? null
        : {
            domain: spf.domain,
            scope: spf.identity === "helo" ? "helo" : "mfrom",
            result: spf.result,
          },
    signatures: dkim.signatures
      .slice(0, SIGNATURES_MAX)
      .map(({ domain, selector, result: verified }) => ({ domain, selector, result: verified })),
  };
  return {
    day: new Date().toISOString().slice(0, 10),
    ...{ domain: reporting.domain, sourceIp: clientAddress, result: JSON.stringify(result) },
  };
}

/** Adds to the counts of a day, unless DMARC reports are off. */
export async function addDmarcCounts(
  db: Db,
  counts: (DmarcRow & { count: number })[],
): Promise<void> {
  if ((await currentSettings(db)).dmarc_reports === "off") return;
  const [firstDay = ""] = counts.map(({ day }) => day).sort();
  // In key order, so that concurrent processes don't deadlock.
  await db.execute(sql`
    insert into dmarc_counts as known (day, domain, source_ip, result, messages)
    select day, domain, "sourceIp", result, count
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb)
      as t(day date, domain text, "sourceIp" text, result text, count int)
    where (select count(*) from dmarc_counts where day >= ${firstDay}::date) < ${ROWS_PER_DAY_MAX}
    order by day, domain, "sourceIp", result
    on conflict (day, domain, source_ip, result)
      do update set messages = known.messages + excluded.messages`);
}

/** The domains with messages that aren't reported yet. */
export const dmarcDays = dailyCounts(dmarcCounts);

/** The counts of a domain and day, the most messages first. */
export async function readDmarcCounts(db: Db, { day, domain }: CountedDay): Promise<DmarcCount[]> {
  const rows = await db.execute<{ sourceIp: string; result: string; count: number }>(sql`
    select source_ip as "sourceIp", result, messages as count from dmarc_counts
    where day = ${day}::date and domain = ${domain}
    order by messages desc, source_ip, result limit ${ROWS_PER_REPORT_MAX}`);
  return rows.map((row) => ({ ...row, result: JSON.parse(row.result) as DmarcResult }));
}
