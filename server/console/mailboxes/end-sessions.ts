import { z } from "zod";

import {
  endSessions as end,
  type EndedSessions,
} from "#server/core/mailboxes/mailboxes/mailbox-sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

export const endSessions = defineEndpoint({
  method: "POST",
  path: "/console/api/mailboxes/{email}/end-sessions",
  summary:
    "End one browser session, the mail app sessions of one address, or all sessions of a mailbox",
  permission: "console",
  privilege: "reset_user_passwords",
  admitsUnitRoles: true,
  bodyLimit: "directory",
  params: MailboxPath,
  body: z
    .object({ browser: z.string(), mail_apps_from: z.union([z.ipv4(), z.ipv6()]) })
    .partial()
    .refine(({ browser, mail_apps_from: from }) => browser === undefined || from === undefined, {
      error: "Use either browser or mail_apps_from, not both",
    }),
  response: z.object({ id: z.string() }),
  refusals: ["not_found", "invalid", "mail_server_error"],
  async handle({ ctx, signedIn, params, body }) {
    await end(ctx, signedIn, params.email, sessionsFromBody(body));
    return { id: params.email.toLowerCase() };
  },
});

function sessionsFromBody(body: {
  browser?: string | undefined;
  mail_apps_from?: string | undefined;
}): EndedSessions {
  if (body.browser !== undefined) return { browser: body.browser };
  if (body.mail_apps_from !== undefined) return { mailAppsFrom: body.mail_apps_from };
  return "all";
}
