import { and, eq, isNull } from "drizzle-orm";

import { notificationSettings, type NotificationSettings, people } from "#drizzle/schema/index.ts";
import type { AlarmKind } from "#server/core/mail/notifications/notice-kinds.ts";
import type { Db } from "#server/db/client.ts";

import type { AlarmMessage } from "./alarm-messages.ts";

/** An operator, and the kinds of alarms that they turned off. */
export type AlarmReader = {
  email: string;
  emailOff: readonly string[];
  urlOff: readonly string[];
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
