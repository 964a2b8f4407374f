import { endSession, findSignedIn } from "#server/core/access/sessions/sessions.ts";
import { stepCookie } from "#server/core/access/sign-in/steps.ts";
import type { ApiRequest } from "#server/http/api-request.ts";

/** Sets the new session's cookie and ends the browser's previous session and sign-in step. */
export async function replaceSession(
  db: Parameters<typeof endSession>[0],
  request: ApiRequest,
  headers: Headers,
  cookie: string,
): Promise<void> {
  const before = await findSignedIn(db, request.headers.cookie ?? "");
  if (before) await endSession(db, before.sessionId);
  headers.append("set-cookie", cookie);
  headers.append("set-cookie", stepCookie("console", "", 0));
}
