import { and, eq, sql } from "drizzle-orm";

import { type WebhookEvent, webhookEvents } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { pageNewestFirst } from "#server/core/shared/paging/newest-first.ts";
import {
  invalidCursor,
  type Page,
  type PageRequest,
  toPage,
} from "#server/core/shared/paging/page.ts";

import { parseEventId } from "./event-id.ts";
import type { WebhookEventType } from "./event-types.ts";
import { requireWebhook } from "#server/core/webhooks/endpoints/require-webhook.ts";

const { id, type, createdAt, status, attempts, isTest } = webhookEvents;
const LISTED = { id, type, createdAt, status, attempts, isTest };
/** The subject of the event: an email's first recipient, or a domain. */
const about = sql<string | null>`coalesce(
  ${webhookEvents.payload} #>> '{data,to,0}', ${webhookEvents.payload} #>> '{data,name}')`;

export type ListedWebhookEvent = Pick<WebhookEvent, keyof typeof LISTED>;

/**
 * Returns a page of the events of a webhook of the company, newest first, optionally of one status or type. A
 * cursor is the public id of an event, also if its status has changed since.
 *
 * @throws Refusal `not_found`, or `invalid` for a cursor that is not an event of the webhook
 */
export async function listWebhookEvents(
  ctx: Context,
  webhookId: string,
  page: PageRequest,
  only: { status?: WebhookEvent["status"] | null; type?: WebhookEventType | null } = {},
): Promise<Page<ListedWebhookEvent & { about: string | null }>> {
  const webhook = await requireWebhook(ctx, webhookId);
  const isAsked = and(
    only.status ? eq(webhookEvents.status, only.status) : undefined,
    only.type ? eq(webhookEvents.type, only.type) : undefined,
  );
  const isOfWebhook = eq(webhookEvents.webhookId, webhook.id);
  const list = pageNewestFirst(ctx.db, webhookEvents, isOfWebhook, withUuids(page));
  const rows = await ctx.db
    .select({ ...LISTED, about })
    .from(webhookEvents)
    .where(and(list.where, isAsked))
    .orderBy(...list.orderBy)
    .limit(page.limit + 1);
  if (rows.length === 0) await list.requireCursor();
  return toPage(rows, page);
}

const withUuids = ({ limit, after, before }: PageRequest): PageRequest => ({
  limit,
  after: after === null ? null : uuidOf(after),
  before: before === null ? null : uuidOf(before),
});

function uuidOf(cursor: string): string {
  const uuid = parseEventId(cursor);
  if (uuid === null) throw invalidCursor();
  return uuid;
}
