import { z } from "zod";

import { listConsoleSessions, ownSessions } from "#server/core/access/sessions/console-sessions.ts";
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
  async handle({ ctx, signedIn }) {
    const sessions = await listConsoleSessions(ctx.db, ownSessions(signedIn), signedIn.sessionId);
    return { data: sessions.map(sessionRow) };
  },
});
