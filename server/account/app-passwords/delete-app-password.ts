import { z } from "zod";

import { deleteAppPassword as remove } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const deleteAppPassword = defineEndpoint({
  method: "DELETE",
  path: "/account/api/app-passwords/{id}",
  summary: "Revoke an app password immediately",
  permission: "account",
  privilege: null,
  params: z.object({ id: z.uuid() }),
  notFound: "App password not found",
  response: z.object({ deleted: z.literal(true) }),
  refusals: ["not_found"],
  handle: async ({ ctx, mailbox, params }) => {
    await remove(ctx, mailbox.address, params.id);
    return { deleted: true as const };
  },
});
