import type { Config } from "#server/config.ts";
import {
  listNoticeAddresses,
  renderOperatorNotice,
  sendOperatorNotice,
} from "#server/core/mail/notices/operator-notice.ts";
import { slackText } from "#server/core/mail/notifications/slack-text.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import type { Db } from "#server/db/client.ts";
import { sendThroughSmarthost } from "#server/gateways/smarthost.ts";

import type { AlarmMessage, Channel } from "./alarm-messages.ts";
import { type AlarmReader, withoutKinds } from "./alarm-readers.ts";
import { alarmText, healthUrl, isCritical } from "./alarm-text.ts";

const TIMEOUT_MS = 10_000;
const FOOTER = "You're receiving this email because you operate this Posthouse appliance.";

export type AlarmSettings = Pick<
  Settings,
  "alarm_email" | "alarm_webhook_url" | "alarm_ntfy_url" | "alarm_slack_url"
>;

type Told = { id: string; message: AlarmMessage };

/** What sending needs. `db` is null if the database doesn't respond; only a smarthost can send email then. */
type Around = {
  db: Db | null;
  config: Pick<Config, "hostname" | "baseUrl" | "alarmRelay">;
  settings: AlarmSettings;
  operators: Pick<AlarmReader, "email" | "emailOff">[];
};

/**
 * Sends a message over one channel.
 *
 * @throws Error with a reason that can be logged
 */
export async function sendAlarmMessage(
  channel: Channel,
  told: Told,
  around: Around,
): Promise<void> {
  switch (channel) {
    case "email":
      return sendEmail(told, around);
    case "webhook":
      return post(around.settings.alarm_webhook_url, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ id: told.id, host: around.config.hostname, ...told.message }),
      });
    case "ntfy":
      return sendToNtfy(told, around);
    case "slack": {
      const { hostname, baseUrl } = around.config;
      const text = slackText({ ...alarmText(told.message, hostname), url: healthUrl(baseUrl) });
      return post(around.settings.alarm_slack_url, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text }),
      });
    }
  }
}

/** Each operator gets the kinds of alarms that they didn't turn off; addresses in the settings get all. */
async function sendEmail({ id, message }: Told, around: Around): Promise<void> {
  const { settings, operators } = around;
  if (settings.alarm_email !== "operators")
    return sendEmailTo(settings.alarm_email.split(","), { id, message }, around);
  const groups = Map.groupBy(operators, ({ emailOff }) => emailOff.toSorted().join(","));
  for (const alike of groups.values()) {
    const told = withoutKinds(message, alike[0]!.emailOff);
    const addresses = alike.map(({ email }) => email);
    if (told) await sendEmailTo(addresses, { id, message: told }, around);
  }
}

async function sendEmailTo(
  addresses: string[],
  { id, message }: Told,
  { db, config }: Around,
): Promise<void> {
  const text = {
    ...alarmText(message, config.hostname),
    link: { label: "Open Health", url: healthUrl(config.baseUrl) },
    footer: FOOTER,
  };
  if (config.alarmRelay) {
    const from = `posthouse@${config.hostname}`;
    const parts = { subject: text.subject, ...renderOperatorNotice(text) };
    await sendThroughSmarthost(config.alarmRelay, { id, from, to: addresses, ...parts });
    return;
  }
  if (!db) throw new Error("Email needs the database, or POSTHOUSE_ALARM_SMTP_URL");
  await sendOperatorNotice(db, {
    noticeId: id,
    text,
    people: await listNoticeAddresses(db, addresses),
  });
}

/** https://docs.ntfy.sh/publish: the text is the body, headers have the rest. */
async function sendToNtfy({ message }: Told, { config, settings }: Around): Promise<void> {
  const { subject, paragraphs } = alarmText(message, config.hostname);
  const raised = message.kind === "changes" ? message.raised : [];
  const urgency = isCritical(raised) ? "urgent" : raised.length > 0 ? "high" : "default";
  await post(settings.alarm_ntfy_url, {
    headers: {
      title: toHeader(subject),
      priority: urgency,
      tags: raised.length > 0 ? "rotating_light" : "white_check_mark",
      click: healthUrl(config.baseUrl),
    },
    body: paragraphs.join("\n"),
  });
}

/** As an encoded word (RFC 2047), which ntfy decodes, if it isn't plain ASCII. */
const toHeader = (text: string) =>
  /^[\x20-\x7e]*$/.test(text) ? text : `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;

/** Unlike the URLs of users, those of the settings may be on the internal network: only operators set them. */
async function post(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<void> {
  const response = await fetch(url, {
    ...{ method: "POST", headers, body, redirect: "error" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    // Without the URL, which may contain a token.
    throw new Error(`The request failed: ${reasonOf(error)}`);
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The server answered with status ${response.status}`);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return "unknown";
  return "code" in cause ? String(cause.code) : cause.name;
}
