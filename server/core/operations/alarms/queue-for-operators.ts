import { v7 as uuidv7 } from "uuid";

import { config } from "#server/config.ts";
import { queuePosts } from "#server/core/mail/notifications/queue-posts.ts";
import type { Db } from "#server/db/client.ts";

import type { AlarmMessage } from "./alarm-messages.ts";
import { listAlarmReaders, withoutKinds } from "./alarm-readers.ts";
import { alarmText } from "./alarm-text.ts";

/** Queues alarms for the URLs of operators, without the kinds that they turned off. */
export async function queueForOperators(db: Db, message: AlarmMessage): Promise<void> {
  const { hostname, baseUrl } = config();
  const noticeId = uuidv7();
  for (const { urlOf, urlOff } of await listAlarmReaders(db)) {
    const told = urlOf && withoutKinds(message, urlOff);
    if (!told) continue;
    const { subject, paragraphs } = alarmText(told, hostname);
    const url = `${baseUrl}/console/operate/health`;
    const content = { kind: "alarm", subject, paragraphs, url };
    await queuePosts(db, { noticeId, settingsIds: [urlOf], content });
  }
}
