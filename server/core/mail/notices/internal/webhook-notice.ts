import { sql } from "drizzle-orm";

import type { Notice } from "#server/core/platform/notices/notify-admins.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { formatUtc } from "#server/core/shared/text.ts";
import { findLastFailure } from "#server/core/webhooks/attempts/attempts.ts";
import { explainFailure } from "#server/core/webhooks/attempts/explain-failure.ts";

import type { NoticeContent } from "./send-to-admins.ts";

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

type WebhookNotice = Extract<Notice, { webhookId: string }>;

/** The current state of a failing or disabled webhook. */
export type WebhookTrouble = {
  id: string;
  endpoint: string;
  failures: number;
  /** When the first of the consecutive failures happened. */
  failingSince: string | null;
  /** Error of the newest failed attempt: `HTTP 500`, `timeout`, …; null if no attempt is kept. */
  lastError: string | null;
  /** Events with a scheduled attempt. */
  waiting: number;
  /** Events that are out of attempts. */
  failed: number;
};

/** The problem a notice is about; null when it is solved or the webhook was deleted. */
export async function readWebhookTrouble(
  ctx: CompanyScope,
  { kind, webhookId }: WebhookNotice,
): Promise<WebhookTrouble | null> {
  const holds =
    kind === "webhook_disabled"
      ? sql`w.status = 'disabled' and w.disabled_for_failures_at is not null`
      : sql`w.status = 'enabled' and w.failing_since is not null`;
  const [trouble] = await ctx.db.execute<Omit<WebhookTrouble, "lastError">>(sql`
    select w.id, w.endpoint, w.failures, w.failing_since as "failingSince", (
        select count(*) from webhook_events e
        where e.webhook_id = w.id and e.next_attempt_at is not null
      )::int as waiting, (
        select count(*) from webhook_events e where e.webhook_id = w.id and e.status = 'failed'
      )::int as failed
    from webhooks w where w.id = ${webhookId} and w.company_id = ${ctx.companyId} and ${holds}`);
  if (!trouble) return null;
  const failure = await findLastFailure(ctx.db, webhookId);
  return { ...trouble, lastError: failure?.error ?? null };
}
