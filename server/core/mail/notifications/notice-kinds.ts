import type { Privilege } from "#server/core/access/privileges/privileges.ts";
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

/** The kind of a notice; null if it is about a person, who always gets it. */
export function kindOf(notice: Pick<Notice, "kind">): NoticeKind | null {
  switch (notice.kind) {
    case "webhook_disabled":
    case "webhook_failing":
      return "webhook";
    case "members_failing":
      return "group";
    case "ownership_missing":
    case "ownership_lost":
    case "records_missing":
    case "dkim_rotated":
      return "domain";
    case "sending_held":
      return "on_hold";
    case "mailboxes_full":
      return "quota";
    case "sign_in_changed":
      return null;
  }
}
