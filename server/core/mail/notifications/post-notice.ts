import type { NotificationSettings, PostedNotice } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { domainDns } from "#server/core/domains/domains/sending-domains.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import {
  createOutgoingHttp,
  OutgoingFailure,
  type OutgoingHttp,
} from "#server/gateways/outgoing-http.ts";

import { slackText } from "./slack-text.ts";

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 1_024;

/** A notice for a URL; `id` is the same in each attempt. */
type Post = PostedNotice & { id: string; createdAt: string };

let http: OutgoingHttp | undefined;

/** Calls what webhooks may call: public addresses, unless POSTHOUSE_PRIVATE_WEBHOOKS allows others. */
export function noticeHttp(): OutgoingHttp {
  http ??= createOutgoingHttp({
    resolver: domainDns().resolver,
    allowedPrivate: config().privateWebhooks,
  });
  return http;
}

/**
 * Posts a notice to an admin's URL.
 *
 * @returns null if it was accepted, or why not, as in `webhook_attempts`
 */
export async function postNotice(
  { sealedUrl, urlFormat }: Pick<NotificationSettings, "urlFormat"> & { sealedUrl: string },
  post: Post,
  http: OutgoingHttp,
): Promise<string | null> {
  try {
    const { status } = await http.request({
      ...{ url: unseal("notification_url", sealedUrl), method: "POST" },
      headers: { "content-type": "application/json", "user-agent": "Posthouse" },
      body: JSON.stringify(urlFormat === "slack" ? { text: slackText(post) } : asJson(post)),
      ...{ timeoutMs: TIMEOUT_MS, answerBytesMax: ANSWER_BYTES_MAX },
    });
    return status >= 200 && status < 300 ? null : `HTTP ${status}`;
  } catch (error) {
    if (error instanceof OutgoingFailure) return error.code;
    throw error;
  }
}

const asJson = ({ id, kind, subject, paragraphs, url, createdAt }: Post) => ({
  ...{ id, kind, subject, text: paragraphs.join("\n\n"), url },
  created_at: new Date(createdAt).toISOString(),
});
