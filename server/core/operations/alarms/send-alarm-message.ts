import { sql } from "drizzle-orm";

import type { Config } from "#server/config.ts";
import {
  listNoticeAddresses,
  renderOperatorNotice,
  sendOperatorNotice,
} from "#server/core/mail/notices/operator-notice.ts";
import { slackText } from "#server/core/mail/notifications/post-notices.ts";
import { currentSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Settings } from "#server/core/platform/settings/settings.ts";
import type { Db } from "#server/db/client.ts";
import { sendThroughSmarthost } from "#server/gateways/smarthost.ts";
import { softwareVersion } from "#server/processes/software-version.ts";

import {
  type AlarmMessage,
  type AlarmReader,
  alarmText,
  type Channel,
  healthUrl,
  isCritical,
  queueAlarmMessage,
  withoutKinds,
} from "./alarm-messages.ts";
import { listChangedAlarms } from "./alarms.ts";
import { finishRound, startRound } from "./conditions.ts";

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
    method: "POST",
    headers,
    body,
    redirect: "error",
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
    notes.push(`Processes restarted ${starts === 1 ? "once" : `${starts} times`} since yesterday.`);
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
