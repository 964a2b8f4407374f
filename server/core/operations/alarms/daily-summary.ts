import { sql } from "drizzle-orm";

import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import { softwareVersion } from "#server/processes/software-version.ts";
import type { Db } from "#server/db/client.ts";

import { queueAlarmMessage } from "./alarm-messages.ts";
import { listChangedAlarms } from "./list-alarms.ts";
import { finishRound, startRound } from "./rounds.ts";

/** The setting's value that turns the summary off. */
const OFF = 24;
const HOURS = 24;
const HALF_DAY_SECONDS = 43_200;
const DAY_MS = 86_400_000;

type Facts = {
  version: string;
  failingWebhooks: number;
  heldMail: number;
  pendingDomains: number;
  /** How often processes have started, in total. */
  starts: number;
};

/**
 * Queues the daily summary at the hour of the setting (UTC). It lists only what changed since the last one; without
 * changes there is none.
 */
export async function summarizeDay(db: Db, now: Date): Promise<void> {
  const { daily_summary_hour: hour } = await currentSettings(db);
  if (hour === OFF || now.getUTCHours() !== hour) return;
  const before = await startRound(db, "summary", HALF_DAY_SECONDS);
  if (before === null) return;
  const facts = await readFacts(db);
  const changed = await listChangedAlarms(db, HOURS);
  const yesterday = now.getTime() - DAY_MS;
  const raised = changed.filter(
    ({ raisedAt, clearedAt }) => clearedAt === null && Date.parse(raisedAt) > yesterday,
  );
  const cleared = changed.filter(({ clearedAt }) => clearedAt !== null);
  const notes = compareFacts(before, facts);
  await db.transaction(async (tx) => {
    if (raised.length + cleared.length + notes.length > 0)
      await queueAlarmMessage(tx, { kind: "summary", raised, cleared, notes });
    await finishRound(tx, "summary", facts);
  });
}

/** One sentence for each difference. The first summary has nothing to compare with. */
export function compareFacts(before: Partial<Facts>, after: Facts): string[] {
  const notes: string[] = [];
  if (before.version !== undefined && before.version !== after.version)
    notes.push(`Posthouse was upgraded from ${before.version} to ${after.version}.`);
  const compare = (was: number | undefined, is: number, what: string) => {
    if (was !== undefined && was !== is) notes.push(`${what}: ${is} (yesterday ${was}).`);
  };
  compare(before.failingWebhooks, after.failingWebhooks, "Webhooks that fail or were disabled");
  compare(before.heldMail, after.heldMail, "Recipients of mail on hold");
  compare(before.pendingDomains, after.pendingDomains, "Domains that aren't verified");
  const starts = after.starts - (before.starts ?? after.starts);
  if (starts > 0)
    notes.push(`Processes started ${starts === 1 ? "once" : `${starts} times`} since yesterday.`);
  return notes;
}

async function readFacts(db: Db): Promise<Facts> {
  const [row] = await db.execute<Omit<Facts, "version">>(sql`
    select
      (select count(*)::int from webhooks where failing_since is not null
        or disabled_for_failures_at is not null) as "failingWebhooks",
      (select count(*)::int from message_recipients where state = 'held') as "heldMail",
      (select count(*)::int from domains where status <> 'verified') as "pendingDomains",
      (select coalesce(sum(value), 0)::float8 from metric_totals
        where name = 'posthouse_process_starts_total') as starts`);
  return { version: softwareVersion(), ...row! };
}
