import { explainFailure } from "#server/core/webhooks/attempts/explain-failure.ts";
import { formatUtc } from "#server/core/shared/format-utc.ts";

import type { Notice } from "#server/core/platform/notices/notify-admins.ts";
import type { NoticeContent } from "./notice-text.ts";
import type { WebhookTrouble } from "./read-webhook-trouble.ts";

type WebhookNoticeKind = Extract<Notice, { webhookId: string }>["kind"];

/**
 * The notice about a failing or disabled webhook. It names only the endpoint's host: the path is often
 * secret, and emails get forwarded.
 */
export function webhookNotice(
  kind: WebhookNoticeKind,
  trouble: WebhookTrouble,
  { baseUrl, companyName }: { baseUrl: string; companyName: string },
): NoticeContent {
  const { host } = new URL(trouble.endpoint);
  const link = { label: "Open the webhook", url: `${baseUrl}/console/webhooks/${trouble.id}` };
  const reason = trouble.lastError && `Last error: ${explainFailure(trouble.lastError)}`;
  const since = trouble.failingSince && formatUtc(trouble.failingSince);
  const { waiting, failed } = trouble;
  const common = [
    ...(reason ? [reason] : []),
    `Pending events: ${waiting}. Failed events: ${failed}.`,
  ];
  if (kind === "webhook_disabled")
    return {
      subject: `Your webhook to ${host} was disabled`,
      paragraphs: [
        `Posthouse disabled a webhook of ${companyName} that posts to ${host} because ${trouble.failures} attempts in a row failed${since ? `, the first on ${since}` : ""}.`,
        ...common,
        "Fix the endpoint, then enable the webhook. Posthouse then delivers the pending events. Events that occur while the webhook is disabled aren’t recorded for it.",
      ],
      link,
    };
  return {
    subject: `Your webhook to ${host} has been failing for a day`,
    paragraphs: [
      `Every attempt to deliver events to ${host}, a webhook of ${companyName}, has failed since ${since ?? "yesterday"}.`,
      ...common,
      "Fix the endpoint. Posthouse keeps retrying and disables the webhook after 100 failed attempts in a row. You can replay failed events from the webhook’s page for 30 days.",
    ],
    link,
  };
}
