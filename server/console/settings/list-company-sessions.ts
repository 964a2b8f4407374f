import { z } from "zod";

import { SessionRow, sessionRow } from "#server/console/profile/session-row.ts";
import { listConsoleSessions } from "#server/core/access/sessions/console-sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

export const listCompanySessions = defineEndpoint({
  method: "GET",
  path: "/console/api/settings/sessions",
  summary: "List the sessions of the company's admins",
  permission: "console",
  privilege: "manage_admins",
  response: z.object({ data: z.array(SessionRow) }),
  refusals: [],
  handle: async ({ ctx, signedIn }) => {
    const whose = { companyId: ctx.companyId };
    const sessions = await listConsoleSessions(ctx.db, whose, signedIn.sessionId);
    return { data: sessions.map(sessionRow) };
  },
});
