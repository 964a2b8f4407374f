import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { getAccess as get } from "#server/core/mailboxes/mailboxes/mailbox-access.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

const Moment = z.string().nullable();

export const getAccess = defineEndpoint({
  method: "GET",
  path: "/console/api/mailboxes/{email}/access",
  summary: "List a mailbox's app passwords and sessions",
  permission: "console",
  privilege: "view_users",
  admitsUnitRoles: true,
  params: MailboxPath,
  response: z.object({
    app_passwords: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        created_at: z.string(),
        last_used_at: Moment,
        last_used_for: z.string().nullable(),
        last_used_from: z.string().nullable(),
      }),
    ),
    browsers: z
      .array(
        z.object({
          id: z.string(),
          created_at: z.string(),
          client_address: z.string().nullable(),
          user_agent: z.string().nullable(),
        }),
      )
      .describe("Sessions at /account"),
    mail_apps: z
      .array(
        z.object({
          client_address: z.string(),
          services: z.array(z.string()),
          connections: z.int(),
        }),
      )
      .nullable()
      .describe("Null if the mail server isn't responding"),
    networks: z
      .array(z.object({ network: z.string(), first_seen_at: z.string(), last_seen_at: z.string() }))
      .describe("Networks used to sign in, most recent first"),
    identity_linked_at: Moment.describe("When an account at the identity provider was linked"),
    password_link: z
      .object({ sent_to: z.string().nullable(), expires_at: z.string() })
      .nullable()
      .describe("The emailed link to set the password; null without the privilege to reset it"),
  }),
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params }) {
    const access = await get(ctx, signedIn, params.email);
    return {
      app_passwords: access.appPasswords.map((password) => ({
        ...{ id: password.id, name: password.name },
        created_at: consoleTimestamp(password.createdAt),
        last_used_at: password.lastUsedAt && consoleTimestamp(password.lastUsedAt),
        last_used_for: password.lastUsedFor,
        last_used_from: password.lastUsedFrom,
      })),
      browsers: access.browsers.map(({ id, createdAt, clientAddress, userAgent }) => ({
        id,
        created_at: consoleTimestamp(createdAt),
        client_address: clientAddress,
        user_agent: userAgent,
      })),
      mail_apps:
        access.mailApps?.map(({ clientAddress, services, connections }) => ({
          ...{ client_address: clientAddress, services, connections },
        })) ?? null,
      networks: access.networks.map(({ network, firstSeenAt, lastSeenAt }) => ({
        network,
        first_seen_at: consoleTimestamp(firstSeenAt),
        last_seen_at: consoleTimestamp(lastSeenAt),
      })),
      identity_linked_at: access.identityLinkedAt && consoleTimestamp(access.identityLinkedAt),
      password_link: access.passwordLink && {
        sent_to: access.passwordLink.sentTo,
        expires_at: consoleTimestamp(access.passwordLink.expiresAt),
      },
    };
  },
});
