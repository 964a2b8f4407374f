import { v7 as uuidv7 } from "uuid";

import type { PostedNotice } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { queuePosts } from "#server/core/mail/notifications/queue-posts.ts";
import type { Db } from "#server/db/client.ts";

import type { AlarmMessage } from "./alarm-messages.ts";
import { type AlarmReader, listAlarmReaders, withoutKinds } from "./alarm-readers.ts";
import { alarmText, healthUrl } from "./alarm-text.ts";

/**
 * Queues a message for the URLs of operators, without the kinds that they turned off.
 *
 * @returns for how many
 */
export async function queueForOperators(db: Db, message: AlarmMessage): Promise<number> {
  const noticeId = uuidv7();
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
