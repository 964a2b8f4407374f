import { and, eq, sql } from "drizzle-orm";

import { emails } from "#drizzle/schema/index.ts";
import {
  cancelLocked,
  lockScheduled,
  wakeScheduler,
} from "#server/core/sending/schedules/schedules.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inMode, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { requireEmail } from "./emails.ts";

/**
 * Cancels a scheduled email of the company and refunds its quotas.
 *
 * @throws Refusal `not_found`, or `invalid` if it is no longer scheduled
 */
export async function cancelEmail(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const waiting = await lockScheduled(ctx, and(eq(emails.id, id), inMode(ctx, emails.isTest)));
    if (waiting.length === 0) {
      await requireEmail(ctx, id);
      throw new Refusal("invalid", "Only a scheduled email that has not been sent can be canceled");
    }
    await cancelLocked(ctx, waiting, "Canceled on request");
    await recordAudit(ctx, "email.canceled", { email: id });
  });
}

/**
 * Changes when a scheduled email of the company is due. Adds no event; the audit log records who did it.
 *
 * @param scheduledAt null: now
 * @throws Refusal `not_found`, or `invalid` if it is no longer scheduled
 */
export async function rescheduleEmail(
  ctx: Context,
  id: string,
  scheduledAt: Date | null,
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const [waiting] = await lockScheduled(ctx, and(eq(emails.id, id), inMode(ctx, emails.isTest)));
    if (!waiting) {
      await requireEmail(ctx, id);
      throw new Refusal("invalid", "Only a scheduled email that has not been sent can be updated");
    }
    const due = scheduledAt?.toISOString() ?? sql`statement_timestamp()`;
    await ctx.db
      .update(emails)
      .set({ scheduledAt: due, dueAt: due })
      .where(eq(emails.id, waiting.id));
    const to = scheduledAt?.toISOString() ?? "now";
    await recordAudit(ctx, "email.rescheduled", { email: id, to });
  });
  wakeScheduler(ctx.db);
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const AHEAD_MAX_MS = 30 * DAY_MS;

/** Times nearer than this are sent now. */
const AT_ONCE_MS = 5 * SECOND_MS;

/** Tolerance for a client's clock. */
const LATE_MAX_MS = MINUTE_MS;

const TEXT_CHARS_MAX = 100;

/**
 * ISO 8601 calendar date and time with zone: `2026-11-21T09:30Z`, `…T09:30:00.5+01:00`, `…+0100`, `…+01`. As
 * in RFC 3339, a space can replace the T, and letters can be lower case.
 */
const INSTANT =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[T ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?:Z|(?<sign>[+-])(?<zoneHour>\d\d)(?::?(?<zoneMinute>\d\d))?)$/i;

const PHRASE =
  /^in\s+(?<number>\d{1,9}(?:\.\d{1,9})?)\s*(?:(?<seconds>s|secs?|seconds?)|(?<minutes>m|mins?|minutes?)|(?<hours>h|hrs?|hours?)|(?<days>d|days?))$/i;

const UNITS = { seconds: SECOND_MS, minutes: MINUTE_MS, hours: HOUR_MS, days: DAY_MS };

/** When to send an email (null: now), or why the text is not a valid time. */
export type ScheduledAt = { at: Date | null } | { problem: string };

/**
 * Parses when to send an email: an ISO 8601 time with zone, or `in <number> <unit>` such as `in 90 min` or
 * `in 1.5 hours`. At most 30 days ahead. Less than five seconds ahead, or up to a minute ago, means now.
 */
export function parseScheduledAt(text: string, now: Date): ScheduledAt {
  const trimmed = text.length > TEXT_CHARS_MAX ? "" : text.trim();
  const ahead = readPhrase(trimmed) ?? readInstant(trimmed, now);
  if (ahead === null)
    return {
      problem: "must be an ISO 8601 date and time with time zone, or a phrase like `in 2 hours`",
    };
  if (ahead < -LATE_MAX_MS) return { problem: "must not be in the past" };
  if (ahead > AHEAD_MAX_MS) return { problem: "must be at most 30 days ahead" };
  return { at: ahead < AT_ONCE_MS ? null : new Date(now.getTime() + ahead) };
}

/** Returns milliseconds ahead. */
function readPhrase(text: string): number | null {
  const groups = PHRASE.exec(text)?.groups;
  if (!groups) return null;
  const [, unit] = Object.entries(UNITS).find(([name]) => groups[name] !== undefined)!;
  return Math.round(Number(groups.number) * unit);
}

/** Returns milliseconds ahead of `now`. */
function readInstant(text: string, now: Date): number | null {
  const groups = INSTANT.exec(text)?.groups;
  if (!groups) return null;
  const number = (name: string) => Number(groups[name] ?? 0);
  const time = timeOfDay(number("hour"), number("minute"), number("second"));
  const zone = timeOfDay(number("zoneHour"), number("zoneMinute"), 0);
  if (time === null || zone === null) return null;

  const midnight = new Date(Date.UTC(number("year"), number("month") - 1, number("day")));
  // Date.UTC rolls invalid dates over to the next month.
  if (!midnight.toISOString().startsWith(text.slice(0, "YYYY-MM-DD".length))) return null;
  const fraction = Math.floor(Number(`0.${groups.fraction ?? "0"}`) * SECOND_MS);
  const east = groups.sign === "-" ? -zone : zone;
  return midnight.getTime() + time + fraction - east - now.getTime();
}

/** Returns milliseconds; null if out of range. */
function timeOfDay(hour: number, minute: number, second: number): number | null {
  if (hour > 23 || minute > 59 || second > 59) return null;
  return hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS;
}
