import { z } from "zod";

import { readSetups as read } from "#server/core/mailboxes/client-settings/client-settings.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const MAILBOXES_MAX = 100;

const Servers = z.array(
  z.object({ host: z.string(), port: z.number(), tls: z.enum(["implicit", "starttls"]) }),
);

/** POST, because a hundred addresses are too long for a URL. */
export const readSetUps = defineEndpoint({
  method: "POST",
  path: "/console/api/mailbox-set-ups",
  summary: "Retrieve mail client settings of mailboxes",
  permission: "console",
  privilege: ["view_users", "create_users", "reset_user_passwords"],
  admitsUnitRoles: true,
  body: z.object({ emails: z.array(z.string()).min(1).max(MAILBOXES_MAX) }),
  response: z.object({
    data: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          imap: Servers,
          pop3: Servers,
          smtp: Servers,
          sieve: Servers,
          account_url: z.string().describe("URL of the account page"),
          phone_url: z.string().describe("URL encoded in the QR code"),
          qr: z.object({ size: z.number(), path: z.string() }),
        }),
      )
      .describe("By address; omits mailboxes the admin has no access to"),
  }),
  refusals: ["missing_required_field", "invalid"],
  async handle({ ctx, signedIn, body }) {
    const setUps = await read(ctx, signedIn, body.emails);
    return {
      data: setUps.map(({ address, accountUrl, phoneUrl, ...setUp }) => ({
        ...{ ...setUp, id: address },
        ...{ account_url: accountUrl, phone_url: phoneUrl },
      })),
    };
  },
});
