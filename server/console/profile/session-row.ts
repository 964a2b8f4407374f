import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { ConsoleSession } from "#server/core/access/sessions/console-sessions.ts";

export const SessionRow = z.object({
  id: z.string().describe("Not the session token"),
  is_this_one: z.boolean(),
  email: z.string(),
  is_owner: z.boolean(),
  company: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
  client_address: z.string().nullable(),
  user_agent: z.string().nullable(),
});

export const sessionRow = (session: ConsoleSession): z.input<typeof SessionRow> => ({
  id: session.id,
  is_this_one: session.isThisOne,
  email: session.email,
  is_owner: session.isOwner,
  company: session.companyName,
  created_at: consoleTimestamp(session.createdAt),
  last_used_at: session.lastUsedAt && consoleTimestamp(session.lastUsedAt),
  client_address: session.clientAddress,
  user_agent: session.userAgent,
});

/** The public session ID, a hash of the token (`listedSessionId`). */
export const SessionParams = z.object({ id: z.string().regex(/^[0-9a-f]{32}$/) });
