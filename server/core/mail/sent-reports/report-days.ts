import pLimit from "p-limit";

import { type Config, config } from "#server/config.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { CountedDay, DailyCounts } from "#server/core/shared/daily-counts.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import type { OutgoingHttp } from "#server/gateways/outgoing-http.ts";

import { findReporter, type Reporter } from "./queue-report.ts";

const PAGE = 100;
const LOOKUPS_AT_ONCE = 10;
/** Counts of days whose reports couldn't be sent until then are deleted. */
const KEPT_DAYS = 2;
const DAY_MS = 86_400_000;

export type ReportOptions = {
  resolver: Pick<Resolver, "txt">;
  http: Pick<OutgoingHttp, "request">;
  home?: Pick<Config, "localMode">;
  now?: Date;
};

export type Means = ReportOptions & { reporter: Reporter };

type Steps = {
  setting: "tls_reports" | "dmarc_reports";
  counts: DailyCounts;
  report: (db: Db, counted: CountedDay, means: Means) => Promise<void>;
};

/** Reports about the domains of past days, and deletes the counts of days long past. */
export async function reportDays(db: Db, steps: Steps, options: ReportOptions): Promise<void> {
  const { home = config(), now = new Date() } = options;
  const isOff = home.localMode || (await currentSettings(db))[steps.setting] === "off";
  if (!isOff) await reportAll(db, steps, { ...options, before: dayOf(now) });
  await steps.counts.deleteOld(
    db,
    isOff ? dayOf(now) : dayOf(new Date(now.getTime() - KEPT_DAYS * DAY_MS)),
  );
}

const dayOf = (moment: Date) => moment.toISOString().slice(0, 10);

async function reportAll(
  db: Db,
  { counts, report }: Steps,
  { before, ...options }: ReportOptions & { before: string },
): Promise<void> {
  let after: CountedDay = { day: "1970-01-01", domain: "" };
  let reporter: Reporter | null = null;
  const limit = pLimit(LOOKUPS_AT_ONCE);
  for (;;) {
    const days = await counts.list(db, { before, after, limit: PAGE });
    if (days.length === 0) break;
    reporter ??= await findReporter(db);
    const means = { ...options, reporter };
    await Promise.all(days.map((counted) => limit(() => report(db, counted, means))));
    after = days.at(-1)!;
  }
  if (reporter) wakeMessages(db);
}
