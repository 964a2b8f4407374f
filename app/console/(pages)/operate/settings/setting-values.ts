import { formatCompanies } from "#app/console/(pages)/operate/plan-limits.tsx";
import type { AnswerOf } from "#app/console/console-client.ts";
import { formatCount, pluralize } from "#app/console/ui/format.ts";

export type ServerSetting = AnswerOf<"serverSettings.list">["settings"][number];
export type SettingPreview = AnswerOf<"serverSettings.preview">[number];

/** Settings by group, with those that contain all words of the search, or that must stay visible. */
export function groupSettings(
  settings: ServerSetting[],
  search: string,
  mustShow: (name: string) => boolean,
): [group: string, settings: ServerSetting[]][] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = settings.filter((setting) => {
    const { name, group, label, help, unit } = setting;
    const text = [name, group, label, help, unit].join(" ").toLowerCase();
    return words.every((word) => text.includes(word)) || mustShow(name);
  });
  return [...Map.groupBy(shown, ({ group }) => group)];
}

/** The unit of hours of the day. */
const HOUR_UTC = "hour in UTC";

/** The values to choose from; null if any can be typed. */
export function settingChoices({ kind, unit, names, min, max }: ServerSetting) {
  if (kind === "choice") return namedValues(names);
  if (unit !== HOUR_UTC || min === null || max === null) return null;
  const hours = Array.from({ length: max - min + 1 }, (_, at) => String(min + at));
  return hours.map((value) => ({ value, label: names[value] ?? formatHour(value) }));
}

export const namedValues = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

const formatHour = (hour: number | string): string => `${String(hour).padStart(2, "0")}:00 UTC`;

/** "Forever", "06:00 UTC", "1,024 MB" */
export function formatSetting(
  { kind, unit, names }: Pick<ServerSetting, "kind" | "unit" | "names">,
  value: number | string,
): string {
  const named = names[String(value)];
  if (named !== undefined) return named;
  if (unit === HOUR_UTC) return formatHour(value);
  const isNumber = kind === "number" && /^\d+$/.test(String(value));
  const text = isNumber ? formatCount(Number(value)) : String(value);
  return [text, unit].filter(Boolean).join(" ");
}

/** What the settings about cleanups delete. */
const DELETED: Record<string, [noun: string, plural?: string]> = {
  keep_emails_days: ["email"],
  keep_suppressions_days: ["suppression"],
  keep_audit_days: ["audit entry", "audit entries"],
  keep_contacts_days: ["contact"],
  keep_deleted_days: ["deleted item"],
  keep_received_days: ["received email"],
};

/** What a changed setting does to companies. Null if it affects none today. */
export function settingEffect(preview: SettingPreview): string | null {
  const { name, overCount: count, deletes } = preview;
  if (deletes !== null && deletes > 0) {
    const [noun, plural] = DELETED[name] ?? ["record"];
    return `The next cleanup will delete ${pluralize(deletes, noun, plural)} for good.`;
  }
  if (count === 0) return null;
  if (name === "outgoing_scan_minimum")
    return `${formatCompanies(count)} now ${count === 1 ? "does" : "do"} less about outgoing spam than the new minimum, which will apply to ${count === 1 ? "it" : "them"} immediately.`;
  const whose = formatCompanies(count);
  if (name === "hourly_recipients_mailbox")
    return `This lowers the limit below what mailboxes of ${whose} sent in the last hour.`;
  return `This lowers the limit of ${whose} below what ${count === 1 ? "it uses" : "they use"} today.`;
}

const USED_IN: Record<string, string> = {
  hourly_recipients_company: "in the last hour",
  hourly_recipients_mailbox: "by one mailbox in the last hour",
  scheduled_backlog: "in scheduled emails",
};

/** "700 recipients in the last hour" */
export const formatSettingUse = (name: string, used: number): string =>
  name === "received_storage_mb"
    ? `${formatCount(used)} MB of received emails`
    : [pluralize(used, "recipient"), USED_IN[name]].filter(Boolean).join(" ");

/** "and 5 more" */
export const andMore = ({ over, overCount: count }: SettingPreview): string | null =>
  count > over.length ? `and ${formatCount(count - over.length)} more` : null;
