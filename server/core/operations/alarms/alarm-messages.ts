import { and, eq, isNull, sql } from "drizzle-orm";
import { v7 } from "uuid";

import {
  type Alarm,
  alarmMessages,
  notificationSettings,
  type NotificationSettings,
  people,
  type PostedNotice,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import type { AlarmKind } from "#server/core/mail/notifications/notice-kinds.ts";
import {
  BATCH_LEASE_SECONDS,
  GIVEN_UP_HOURS,
  queuePosts,
  retrySeconds,
} from "#server/core/mail/notifications/post-notices.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import type { Db } from "#server/db/client.ts";

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
export const channelsIn = (settings: Settings): Channel[] => [
  ...(settings.alarm_email === "off" ? [] : (["email"] as const)),
  ...(settings.alarm_webhook_url === "none" ? [] : (["webhook"] as const)),
  ...(settings.alarm_ntfy_url === "none" ? [] : (["ntfy"] as const)),
  ...(settings.alarm_slack_url === "none" ? [] : (["slack"] as const)),
];

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
export async function leaseAlarmMessages(db: Db): Promise<QueuedMessage[]> {
  const rows = await db.execute<QueuedMessage>(sql`
    update ${alarmMessages} set next_attempt_at = clock_timestamp() + make_interval(secs => ${BATCH_LEASE_SECONDS})
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
  name,
  severity,
  found,
  advice,
  raisedAt,
  clearedAt,
});

/**
 * Queues a message for the URLs of operators, without the kinds that they turned off.
 *
 * @returns for how many
 */
export async function queueForOperators(db: Db, message: AlarmMessage): Promise<number> {
  const noticeId = v7();
  const notices = noticesFor(await listAlarmReaders(db), message, config());
  for (const { url, content } of notices)
    await queuePosts(db, { noticeId, settingsIds: [url.id], content });
  return notices.length;
}

/** What each operator with a URL gets there. */
export function noticesFor(
  operators: AlarmReader[],
  message: AlarmMessage,
  { hostname, baseUrl }: { hostname: string; baseUrl: string },
): { url: NonNullable<AlarmReader["url"]>; content: PostedNotice }[] {
  return operators.flatMap(({ url, urlOff }) => {
    const told = url && withoutKinds(message, urlOff);
    if (!told) return [];
    const content = { kind: "alarm", ...alarmText(told, hostname), url: healthUrl(baseUrl) };
    return { url, content };
  });
}

/** An operator, and the kinds of alarms that they turned off. */
export type AlarmReader = Pick<NotificationSettings, "email" | "emailOff" | "urlOff"> & {
  /** The URL to post alarms to, with the ID of its settings; null without one. */
  url: (Pick<NotificationSettings, "id" | "urlFormat"> & { sealedUrl: string }) | null;
};

/** The operators, sorted by address. */
export async function listAlarmReaders(db: Db): Promise<AlarmReader[]> {
  const rows = await db
    .select({ email: people.email, settings: notificationSettings })
    .from(people)
    .leftJoin(
      notificationSettings,
      and(eq(notificationSettings.email, people.email), isNull(notificationSettings.companyId)),
    )
    .where(eq(people.isOperator, true))
    .orderBy(people.email);
  return rows.map(({ email, settings }) => ({
    email,
    emailOff: settings?.emailOff ?? [],
    urlOff: settings?.urlOff ?? [],
    url: settings?.sealedUrl ? { ...settings, sealedUrl: settings.sealedUrl } : null,
  }));
}

/** Kinds of alarms by their names; all others are `server`. */
const KINDS: Record<string, AlarmKind> = {
  "check:certificate": "certificate",
  "check:backup": "backup",
};

const kindOfAlarm = ({ name }: { name: string }): AlarmKind => KINDS[name] ?? "server";

/** What is left of a message without the kinds that a reader turned off; null if nothing is. */
export function withoutKinds(message: AlarmMessage, off: readonly string[]): AlarmMessage | null {
  if (message.kind === "test" || off.length === 0) return message;
  if (message.kind === "summary") return off.includes("summary") ? null : message;
  const isOn = (alarm: { name: string }) => !off.includes(kindOfAlarm(alarm));
  const [raised, cleared] = [message.raised.filter(isOn), message.cleared.filter(isOn)];
  return raised.length + cleared.length > 0 ? { ...message, raised, cleared } : null;
}

/** A message in plain text. */
type AlarmText = { subject: string; paragraphs: string[] };

/** The page that messages link to. */
export const healthUrl = (baseUrl: string): string => `${baseUrl}/console/operate/health`;

/**
 * The findings put commands between backticks, which plain text leaves out.
 *
 * @param hostname of the appliance, since operators may run several
 */
export function alarmText(message: AlarmMessage, hostname: string): AlarmText {
  if (message.kind === "test")
    return {
      subject: `Test alarm from ${hostname}`,
      paragraphs: ["This is a test. Alarms from this server will arrive here."],
    };
  const { raised, cleared } = message;
  const paragraphs = [
    ...raised.map(raisedText),
    ...cleared.map(({ found }) => `Cleared: ${found}`),
    ...(message.kind === "summary" ? message.notes : []),
  ];
  return {
    subject: withoutBackticks(subjectOf(message, hostname)),
    paragraphs: paragraphs.map(withoutBackticks),
  };
}

const withoutBackticks = (text: string) => text.replaceAll("`", "");

function subjectOf(
  { kind, raised, cleared }: Exclude<AlarmMessage, { kind: "test" }>,
  hostname: string,
): string {
  if (kind === "summary") return `What changed on ${hostname} since yesterday`;
  const [first, ...others] = [...raised, ...cleared];
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  const state = raised.length === 0 ? "Cleared" : isCritical(raised) ? "Critical" : "Warning";
  return `${state} on ${hostname}: ${first!.found}${more}`;
}

const raisedText = ({ severity, found, advice }: ToldAlarm) =>
  `${severity === "critical" ? "Critical" : "Warning"}: ${found}.${advice ? ` ${advice}.` : ""}`;

export const isCritical = (raised: ToldAlarm[]): boolean =>
  raised.some(({ severity }) => severity === "critical");
