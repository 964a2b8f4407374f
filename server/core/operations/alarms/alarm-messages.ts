import { eq, sql } from "drizzle-orm";

import { type Alarm, alarmMessages } from "#drizzle/schema/index.ts";
import {
  GIVEN_UP_HOURS,
  LEASE_SECONDS,
  retrySeconds,
} from "#server/core/mail/notifications/retry-schedule.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import type { Db } from "#server/db/client.ts";

import { queueForOperators } from "./queue-for-operators.ts";

/** An alarm in a message. */
export type ToldAlarm = Pick<
  Alarm,
  "name" | "severity" | "found" | "advice" | "raisedAt" | "clearedAt"
>;

/** What operators receive: changes as they happen, a daily summary, or a test. */
export type AlarmMessage =
  | { kind: "changes"; raised: ToldAlarm[]; cleared: ToldAlarm[] }
  | { kind: "summary"; raised: ToldAlarm[]; cleared: ToldAlarm[]; notes: string[] }
  | { kind: "test" };

export type Channel = (typeof alarmMessages.$inferSelect)["channel"];

type QueuedMessage = { id: string; channel: Channel; message: AlarmMessage; attempt: number };

const BATCH_MAX = 5;

/** The channels that are set up. */
export function channelsIn(settings: Settings): Channel[] {
  return [
    ...(settings.alarm_email === "off" ? [] : (["email"] as const)),
    ...(settings.alarm_webhook_url === "none" ? [] : (["webhook"] as const)),
    ...(settings.alarm_ntfy_url === "none" ? [] : (["ntfy"] as const)),
    ...(settings.alarm_slack_url === "none" ? [] : (["slack"] as const)),
  ];
}

/**
 * Queues a message for each channel of the settings and for the operators' own URLs, in the transaction of the change. Of the
 * channels, only email gets the summary.
 *
 * @returns where it goes
 */
export async function queueAlarmMessage(db: Db, message: AlarmMessage): Promise<string[]> {
  const urls = await queueForOperators(db, message);
  const channels = channelsIn(await readSettings(db)).filter(
    (channel) => message.kind !== "summary" || channel === "email",
  );
  if (channels.length > 0)
    await db
      .insert(alarmMessages)
      .values(channels.map((channel) => ({ channel, message: toStored(message) })));
  return urls > 0 ? [...channels, "operators' URLs"] : channels;
}

/** Leases due messages for five minutes, oldest first. Delete or postpone each of them. */
export async function leaseDueMessages(db: Db): Promise<QueuedMessage[]> {
  const rows = await db.execute<QueuedMessage>(sql`
    update ${alarmMessages} set next_attempt_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where id in (
      select id from ${alarmMessages} where next_attempt_at <= clock_timestamp()
      order by created_at limit ${BATCH_MAX} for update skip locked)
    returning id, channel, message, attempt`);
  // UUIDv7: in the order they were created.
  return [...rows].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

export async function deleteMessage(db: Db, id: string): Promise<void> {
  await db.delete(alarmMessages).where(eq(alarmMessages.id, id));
}

/** Schedules another attempt with backoff. Returns false if the message was dropped instead. */
export async function postponeMessage(db: Db, { id, attempt }: QueuedMessage): Promise<boolean> {
  const seconds = retrySeconds(attempt);
  const [postponed] = await db.execute(sql`
    update ${alarmMessages} set attempt = attempt + 1,
      next_attempt_at = clock_timestamp() + make_interval(secs => ${seconds})
    where id = ${id}::uuid and created_at > clock_timestamp() - make_interval(hours => ${GIVEN_UP_HOURS})
    returning id`);
  if (postponed) return true;
  await deleteMessage(db, id);
  return false;
}

function toStored(message: AlarmMessage): Record<string, unknown> {
  if (message.kind === "test") return message;
  return { ...message, raised: message.raised.map(toTold), cleared: message.cleared.map(toTold) };
}

const toTold = ({ name, severity, found, advice, raisedAt, clearedAt }: ToldAlarm): ToldAlarm => ({
  ...{ name, severity, found, advice, raisedAt, clearedAt },
});
