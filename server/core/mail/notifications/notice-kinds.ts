import type { Privilege } from "#server/universal/privileges.ts";
import type { Notice } from "#server/core/platform/notices/notify-admins.ts";

/** What an admin can be notified about in a company, with the privilege that lets them act on it. */
const PRIVILEGES_OF_KINDS = {
  domain: "domains",
  webhook: "api_controls",
  on_hold: "reset_user_passwords",
  quota: "update_users",
  group: "manage_groups",
} as const satisfies Record<string, Privilege>;

export type NoticeKind = keyof typeof PRIVILEGES_OF_KINDS;

export const NOTICE_KINDS = Object.keys(PRIVILEGES_OF_KINDS) as [NoticeKind, ...NoticeKind[]];

/** What an operator can be notified about. */
export const ALARM_KINDS = ["certificate", "backup", "server", "summary"] as const;

export type AlarmKind = (typeof ALARM_KINDS)[number];

export const privilegeOf = <Kind extends NoticeKind>(kind: Kind) => PRIVILEGES_OF_KINDS[kind];

const KINDS: Record<Notice["kind"], NoticeKind | null> = {
  webhook_disabled: "webhook",
  webhook_failing: "webhook",
  members_failing: "group",
  ownership_missing: "domain",
  ownership_lost: "domain",
  records_missing: "domain",
  dkim_rotated: "domain",
  sending_held: "on_hold",
  mailboxes_full: "quota",
  sign_in_changed: null,
  sign_in_mail_shared: null,
  mailbox_factors_changed: null,
};

/** The kind of a notice; null if it is about a person, who always gets it. */
export const kindOf = ({ kind }: Pick<Notice, "kind">): NoticeKind | null => KINDS[kind];
