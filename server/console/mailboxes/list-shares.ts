import { z } from "zod";

import { listShares as list } from "#server/core/mailboxes/shares/shares.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { MailboxPath } from "./mailbox-row.ts";

const Share = z.object({
  member: z.string(),
  kind: z.enum(["mailbox", "group"]),
  access: z.enum(["read", "write"]),
  send_as: z.boolean(),
});

export const listShares = defineEndpoint({
  method: "GET",
  path: "/console/api/mailboxes/{email}/shares",
  summary: "List a mailbox's shares",
  permission: "console",
  privilege: "view_users",
  admitsUnitRoles: true,
  params: MailboxPath,
  response: z.object({ data: z.array(Share) }),
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params }) {
    const shares = await list(ctx, signedIn, params.email);
    return {
      data: shares.map(({ member, kind, access, sendAs }) => ({
        ...{ member, kind, access },
        send_as: sendAs,
      })),
    };
  },
});
