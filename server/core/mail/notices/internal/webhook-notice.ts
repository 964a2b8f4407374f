import { failureInWords } from "#server/core/webhooks/attempts/failure-in-words.ts";

import type { Notice } from "#server/core/platform/notices/notify-owners.ts";
import { inUtc, type NoticeText, TO_OWNERS } from "./notice-text.ts";
import type { WebhookTrouble } from "./read-webhook-trouble.ts";

type WebhookNoticeKind = Extract<Notice, { webhookId: string }>["kind"];

/**
 * What the owners are told of a webhook in trouble. Of its endpoint only the host is shown: the path is
 * often a secret, and emails are forwarded.
 */
export function webhookNotice(
  kind: WebhookNoticeKind,
  trouble: WebhookTrouble,
  { baseUrl, companyName }: { baseUrl: string; companyName: string },
): NoticeText {
  const { host } = new URL(trouble.endpoint);
  const link = { label: "Open the webhook", url: `${baseUrl}/console/webhooks/${trouble.id}` };
  const reason = trouble.lastError && `The last error: ${failureInWords(trouble.lastError)}`;
  const since = trouble.failingSince && inUtc(trouble.failingSince);
  const common = [...(reason ? [reason] : []), eventsOf(kind, trouble)];
  if (kind === "webhook_disabled")
    return {
      subject: `The webhook to ${host} was disabled`,
      paragraphs: [
        `Posthouse has disabled a webhook of ${companyName} that posts to ${host}, because ${trouble.failures} attempts in a row failed${since ? `, the first on ${since}` : ""}.`,
        ...common,
        "What to do: have the endpoint mended, then enable the webhook on its page. Events that are held back are then delivered at once. Events that happen while it is disabled are not recorded for it.",
      ],
      link,
      footer: TO_OWNERS,
    };
  return {
    subject: `The webhook to ${host} has been failing for a day`,
    paragraphs: [
      `A webhook of ${companyName} that posts to ${host} has failed without a single success since ${since ?? "yesterday"}.`,
      ...common,
      "What to do: have the endpoint mended. Posthouse goes on trying by itself, and disables the webhook after 100 failures in a row. Events that are out of attempts can be replayed from its page for 30 days.",
    ],
    link,
    footer: TO_OWNERS,
  };
}

function eventsOf(kind: WebhookNoticeKind, { waiting, failed }: WebhookTrouble): string {
  const waits = kind === "webhook_disabled" ? "held back" : "waiting for their next attempt";
  return `Events ${waits}: ${waiting}. Events that are out of attempts: ${failed}.`;
}
