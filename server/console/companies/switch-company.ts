import { z } from "zod";

import { switchCompany as switchSession } from "#server/core/access/sessions/console-sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const switchCompany = defineEndpoint({
  method: "POST",
  path: "/console/api/companies/{id}/switch",
  summary: "Switch to another of the signed-in admin's companies",
  permission: "console_door",
  privilege: null,
  params: z.object({ id: z.uuid() }),
  response: z.object({ signed_in: z.literal(true) }),
  refusals: ["not_found"],
  notFound: "Company not found",
  handle: async ({ ctx, signedIn, params, request, headers }) => {
    const origin = {
      clientAddress: request.address,
      userAgent: request.headers["user-agent"] ?? null,
    };
    headers.append("set-cookie", await switchSession(ctx.db, signedIn, params.id, origin));
    return { signed_in: true as const };
  },
});
