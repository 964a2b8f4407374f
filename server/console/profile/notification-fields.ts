import { z } from "zod";

import { ALARM_KINDS, NOTICE_KINDS } from "#server/core/mail/notifications/notice-kinds.ts";
import type { SettingsOf } from "#server/core/mail/notifications/notification-settings.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

export const NotificationScope = z
  .enum(["company", "server"])
  .describe("`server`: alarms, for operators only");

export const Kind = z.enum([...NOTICE_KINDS, ...ALARM_KINDS]);

export const UrlFormat = z.enum(["slack", "json"]);

/** @throws Refusal `invalid_permission` for the server's alarms, unless the admin is an operator */
export function settingsOf(
  { email, isOperator }: SignedIn,
  scope: SettingsOf["scope"],
): SettingsOf {
  if (scope === "server" && !isOperator)
    throw new Refusal("invalid_permission", "Only operators are notified about the server");
  return { email, scope };
}
