import { formatCompanies } from "#app/console/(pages)/operate/plan-limits.ts";
import { formatCount, pluralize } from "#app/console/ui/format.ts";

import type { SettingPreview } from "./queries.ts";

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
export function settingEffect(name: string, preview: SettingPreview): string | null {
  const { overCount: count, deletes } = preview;
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

const UNITS: Record<string, string> = {
  hourly_recipients_company: "in the last hour",
  hourly_recipients_mailbox: "by one mailbox in the last hour",
  scheduled_backlog: "in scheduled emails",
};

/** "700 recipients in the last hour" */
export const formatSettingUse = (name: string, used: number): string =>
  name === "received_storage_mb"
    ? `${formatCount(used)} MB of received emails`
    : [pluralize(used, "recipient"), UNITS[name]].filter(Boolean).join(" ");

/** "and 5 more" */
export const andMore = ({ over, overCount: count }: SettingPreview): string | null =>
  count > over.length ? `and ${formatCount(count - over.length)} more` : null;
