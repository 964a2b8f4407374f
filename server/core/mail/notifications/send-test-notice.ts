import { v7 as uuidv7 } from "uuid";

import { config } from "#server/config.ts";
import { explainFailure } from "#server/core/webhooks/attempts/explain-failure.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { OutgoingHttp } from "#server/gateways/outgoing-http.ts";

import { findUrl, retryPosts, type SettingsOf } from "./notification-settings.ts";
import { noticeHttp, postNotice } from "./post-notice.ts";

/**
 * Posts a test to an admin's URL. If it succeeds, notices that wait for the URL follow.
 *
 * @returns null if it was accepted, or why not, as a sentence
 * @throws Refusal `invalid` if there is no URL
 */
export async function sendTestNotice(
  ctx: Context,
  of: SettingsOf,
  http: OutgoingHttp = noticeHttp(),
): Promise<string | null> {
  const settings = await findUrl(ctx, of);
  if (!settings) throw new Refusal("invalid", "Save a URL first");
  const { baseUrl, hostname } = config();
  const error = await postNotice(
    settings,
    {
      ...{ id: uuidv7(), kind: "test", createdAt: ctx.now().toISOString() },
      subject: `Test from ${hostname}`,
      paragraphs: ["This is a test. Your notifications from Posthouse will arrive here."],
      url: `${baseUrl}/console/profile?tab=notifications`,
    },
    http,
  );
  if (error !== null) return explainFailure(error);
  await retryPosts(ctx, settings.id);
  return null;
}
