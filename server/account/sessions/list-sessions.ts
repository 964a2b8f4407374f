import { z } from "zod";

import { accountTimestamp } from "#server/account/timestamp.ts";
import { listMailAppSessions } from "#server/core/mailboxes/account/mail-app-sessions.ts";
import { listAccountSessions } from "#server/core/access/sessions/account-sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const listSessions = defineEndpoint({
  method: "GET",
  path: "/account/api/sessions",
  summary: "List signed-in browsers and mail apps",
  permission: "account",
  privilege: null,
  response: z.object({
    browsers: z.array(
      z.object({
        id: z.string(),
        is_this_one: z.boolean(),
        created_at: z.string(),
        client_address: z.string().nullable(),
        user_agent: z.string().nullable(),
      }),
    ),
    mail_apps: z
      .array(
        z.object({
          client_address: z.string(),
          services: z.array(z.string()),
          connections: z.number(),
        }),
      )
      .nullable()
      .describe("Null if the mail server can't be reached"),
  }),
  refusals: [],
  handle: async ({ ctx, mailbox }) => {
    const [browsers, mailApps] = await Promise.all([
      listAccountSessions(ctx, mailbox),
      listMailAppSessions(ctx, mailbox.address),
    ]);
    return {
      browsers: browsers.map(({ id, isThisOne, createdAt, clientAddress, userAgent }) => ({
        id,
        is_this_one: isThisOne,
        created_at: accountTimestamp(createdAt),
        client_address: clientAddress,
        user_agent: userAgent,
      })),
      mail_apps:
        mailApps?.map(({ clientAddress, ...session }) => ({
          client_address: clientAddress,
          ...session,
        })) ?? null,
    };
  },
});
