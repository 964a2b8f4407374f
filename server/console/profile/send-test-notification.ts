import { z } from "zod";

import { sendTestNotice } from "#server/core/mail/notifications/send-test-notice.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NotificationScope, settingsOf } from "./notification-fields.ts";

export const sendTestNotification = defineEndpoint({
  method: "POST",
  path: "/console/api/profile/notifications/test",
  summary: "Post a test to the URL for your notifications",
  permission: "console",
  privilege: null,
  bodyLimit: "directory",
  body: z.object({ scope: NotificationScope }),
  response: z.object({
    error: z.string().nullable().describe("Why it failed; null if the URL accepted it"),
  }),
  refusals: ["invalid", "invalid_permission"],
  handle: async ({ ctx, signedIn, body }) => ({
    error: await sendTestNotice(ctx, settingsOf(signedIn, body.scope)),
  }),
});
