import { z } from "zod";

import { changeNotifications } from "#server/core/mail/notifications/notification-settings.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Kind, NotificationScope, settingsOf, UrlFormat } from "./notification-fields.ts";

const KINDS_MAX = 20;

export const updateNotifications = defineEndpoint({
  method: "PATCH",
  path: "/console/api/profile/notifications",
  summary: "Change what you’re notified about",
  permission: "console",
  privilege: null,
  bodyLimit: "directory",
  body: z.object({
    scope: NotificationScope,
    email_off: z.array(Kind).max(KINDS_MAX).optional().describe("Kinds not to send by email"),
    url_off: z.array(Kind).max(KINDS_MAX).optional().describe("Kinds not to post to the URL"),
    url: z.string().max(4_000).nullable().optional().describe("Null removes it"),
    url_format: UrlFormat.optional(),
  }),
  response: z.object({ changed: z.literal(true) }),
  refusals: ["invalid", "invalid_permission"],
  async handle({ ctx, signedIn, body }) {
    await changeNotifications(ctx, settingsOf(signedIn, body.scope), {
      ...{ emailOff: body.email_off, urlOff: body.url_off },
      ...{ url: body.url, urlFormat: body.url_format },
    });
    return { changed: true as const };
  },
});
