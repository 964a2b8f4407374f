import { z } from "zod";

import { SessionParams } from "#server/console/profile/session-row.ts";
import { endSessionInCompany } from "#server/core/access/sessions/console-sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const endCompanySession = defineEndpoint({
  method: "DELETE",
  path: "/console/api/settings/sessions/{id}",
  summary: "End a session of one of the company's admins",
  permission: "console",
  privilege: "manage_admins",
  params: SessionParams,
  response: z.object({ ended: z.literal(true) }),
  refusals: ["not_found"],
  notFound: "Session not found",
  handle: async ({ ctx, signedIn, params }) => {
    await endSessionInCompany(ctx, signedIn, params.id);
    return { ended: true as const };
  },
});
