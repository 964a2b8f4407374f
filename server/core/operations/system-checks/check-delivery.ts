import { sql } from "drizzle-orm";

import { eventBits, outcomeOf } from "#server/core/sending/events/email-events.ts";
import {
  listRecentBlocks,
  listSuspended,
  type StoredLimits,
} from "#server/core/sending/outbox/delivery-blocks.ts";
import { listRestoredHolds } from "#server/core/operations/queue/holds.ts";
import type { Db } from "#server/db/client.ts";

import { judgeSenderRate, SENDER_RATE_DAYS } from "#server/universal/sender-rates.ts";

import { failed, type Finding, ok, shortList, warning } from "./finding.ts";

const PART = "delivery";
/** Replies of servers contain commas. */
const LONG_ITEMS = { separator: "; " } as const;

/** Checks for destinations that block this server. */
export async function checkBlocks(db: Db): Promise<Finding> {
  const blocks = await listRecentBlocks(db);
  if (blocks.length === 0) return ok(PART, "no destination blocks this server");
  const shown = blocks.map(({ destination, reply }) => `${destination}: ${reply}`);
  return warning(
    PART,
    `Mail is delayed because these destinations block this server: ${shortList(shown, LONG_ITEMS)}`,
    "Check that this server's IP address is on no blocklist and has a matching reverse DNS name, then ask the destinations to lift the block. Posthouse keeps retrying for days",
  );
}

/** Checks for destinations that are suspended because they asked this server to slow down. */
export async function checkLimits(db: Db): Promise<Finding> {
  const suspended = await listSuspended(db);
  const limited = suspended.filter(({ throttle }) => throttle !== "block");
  if (limited.length === 0) return ok(PART, "no destination is throttling this server");
  const shown = limited.map(describeLimits);
  return warning(
    PART,
    `Mail is delayed because these destinations are throttling this server: ${shortList(shown, LONG_ITEMS)}`,
    "Posthouse slows down automatically. If it happens often, send more slowly, remove recipients who complained or bounced, and check SPF, DKIM and reverse DNS",
  );
}

/** Checks for mail that a restore put on hold. */
export async function checkRestoredMail(db: Db): Promise<Finding> {
  const held = await listRestoredHolds(db);
  if (held.length === 0) return ok(PART, "no mail is on hold after a restore");
  const shown = held.map(
    ({ name, queued, scheduled }) => `${name}: ${queued} queued, ${scheduled} scheduled`,
  );
  return warning(
    PART,
    `Outgoing mail has been on hold since a restore: ${shortList(shown, LONG_ITEMS)}`,
    "Releasing it sends mail again that was sent after the restore point, and emails that were canceled since then. Release or drop it under Queue, or release all of it: posthouse restore --release",
  );
}

/** Only the newest emails of each company are counted, to bound the query. */
const EMAILS_MAX = 20_000;

type SenderCounts = {
  name: string;
  done: number;
  failed: number;
  bounced: number;
  complained: number;
};

/** Checks whether emails of a company bounce or get complaints too often. Suspended companies can't send. */
export async function checkSenderRates(db: Db): Promise<Finding> {
  const outcome = outcomeOf(sql`types`);
  const senders = await db.execute<SenderCounts>(sql`
    select c.name, counted.* from companies c cross join lateral (
      select count(*) filter (where ${outcome} = 'done')::int as done,
        count(*) filter (where ${outcome} = 'failed')::int as failed,
        count(*) filter (where types & ${eventBits(["bounced"])} <> 0)::int as bounced,
        count(*) filter (where types & ${eventBits(["complained"])} <> 0)::int as complained
      from (
        select event_types as types from emails
        where company_id = c.id and event_types >= 0
          and placed_at > statement_timestamp() - make_interval(days => ${SENDER_RATE_DAYS})
        order by placed_at desc limit ${EMAILS_MAX}) newest) counted
    where c.suspended_at is null
    order by c.name, c.id`);
  const found = senders.flatMap(({ name, done, failed, bounced, complained }) => [
    {
      what: `${name}: ${bounced} of ${done + failed} emails bounced`,
      is: judgeSenderRate("bounce", bounced, done + failed),
    },
    {
      what: `${name}: ${complained} complaints about ${done} emails`,
      is: judgeSenderRate("complaint", complained, done),
    },
  ]);
  const high = found.filter(({ is }) => is === "high" || is === "critical");
  if (high.length === 0) return ok(PART, "bounce and complaint rates are low");
  const report = high.some(({ is }) => is === "critical") ? failed : warning;
  return report(
    PART,
    `Bounce or complaint rates are high: ${shortList(
      high.map(({ what }) => what),
      LONG_ITEMS,
    )}`,
    "Mailbox providers block servers that send such mail. Ask the company to email only people who asked for it, and to remove old addresses. You can suspend it under Companies",
  );
}

/** Like "google, next attempt at 14:05 UTC: 421 4.7.28 …". */
function describeLimits({ key, suspendedUntil, reply }: StoredLimits): string {
  const name = key.replace(/^domain /, "").replace(/^mx \d+ ([^,]+).*$/s, "$1");
  const time = new Date(suspendedUntil).toISOString().slice(11, 16);
  return `${name}, next attempt at ${time} UTC: ${reply}`;
}
