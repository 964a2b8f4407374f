import { z } from "zod";

import { listConsoleSessions } from "#server/core/access/sessions/console-sessions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { SessionRow, sessionRow } from "./session-row.ts";

export const listOwnSessions = defineEndpoint({
  method: "GET",
  path: "/console/api/profile/sessions",
  summary: "List your sessions in all companies",
  permission: "console_door",
  privilege: null,
  response: z.object({ data: z.array(SessionRow) }),
  refusals: [],
  handle: async ({ ctx, signedIn: { email, sessionId } }) => ({
    data: (await listConsoleSessions(ctx.db, { email }, sessionId)).map(sessionRow),
  }),
});
