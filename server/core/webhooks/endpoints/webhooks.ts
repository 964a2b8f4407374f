import { createSecretKey, randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import { and, eq, gt, inArray, sql, type SQL } from "drizzle-orm";

import { type Webhook, webhookEvents, webhooks } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import {
  type Context,
  inMode,
  inTransaction,
  isTestMode,
  lockCompany,
} from "#server/core/shared/context.ts";
import {
  type CountedPage,
  isUuid,
  type PageRequest,
  pageSorted,
  type Sort,
  sortOrders,
} from "#server/core/shared/paging/pages.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal, unseal } from "#server/core/shared/secrets/seal.ts";
import { forEachEventBatch, wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from "#server/universal/event-types.ts";

import { parseEndpoint } from "./parse-endpoint.ts";

/**
 * Creates an enabled webhook with its own secret. It receives events from now on: those of test emails if a test key
 * creates it, otherwise all others.
 *
 * @param events event types; duplicates are ignored
 * @throws Refusal `invalid` for the endpoint or the events, `not_allowed` if the company has ten webhooks of this mode
 */
export async function createWebhook(
  ctx: Context,
  input: { endpoint: string; events: readonly string[] },
): Promise<{ id: string; signingSecret: string }> {
  const { endpoint, events } = readFields({
    endpoint: () => parseEndpoint(input.endpoint),
    events: () => parseEventTypes(input.events),
  });
  const signingSecret = newSigningSecret();

  return inTransaction(ctx, async (ctx) => {
    await requireUnderLimit(ctx);
    const [webhook] = await ctx.db
      .insert(webhooks)
      .values({
        companyId: ctx.companyId,
        endpoint,
        events,
        sealedSecret: seal("webhook_secret", signingSecret),
        isTest: isTestMode(ctx),
      })
      .returning({ id: webhooks.id });
    await recordAudit(ctx, "webhook.created", { webhookId: webhook!.id, endpoint, events });
    return { id: webhook!.id, signingSecret };
  });
}

/** Locks the company, so that concurrent calls can't exceed the limit. */
async function requireUnderLimit(ctx: Context): Promise<void> {
  await lockCompany(ctx);
  const existing = await ctx.db.$count(
    webhooks,
    and(eq(webhooks.companyId, ctx.companyId), eq(webhooks.isTest, isTestMode(ctx))),
  );
  if (existing >= WEBHOOKS_MAX)
    throw new Refusal(
      "not_allowed",
      `A company can have at most ${WEBHOOKS_MAX} webhooks for live emails, and as many for test emails. Delete one first`,
    );
}

/**
 * Returns a webhook of the company with its secret.
 *
 * @throws Refusal `not_found`
 */
export const getWebhook = async (ctx: Context, id: string): Promise<ShownWebhook> =>
  shownWebhook(await requireWebhook(ctx, id));

type WebhookSort = Sort<"endpoint" | "created">;

const orderOf = sortOrders({ endpoint: webhooks.endpoint, created: webhooks.createdAt });
const NEWEST_FIRST: WebhookSort = { by: "created", direction: "descending" };

/**
 * Returns a page of the company's webhooks.
 *
 * @throws Refusal `invalid` for a cursor that is not a webhook of the company
 */
export async function listWebhooks(
  ctx: Context,
  page: PageRequest,
  sort = NEWEST_FIRST,
): Promise<CountedPage<ShownWebhook>> {
  const list = pageSorted(ctx.db, webhooks, orderOf(sort), { inList: inList(ctx) }, page);
  const found = await list.read(ctx.db.select().from(webhooks));
  return { ...found, rows: found.rows.map(shownWebhook) };
}

const inList = (ctx: Context) =>
  and(eq(webhooks.companyId, ctx.companyId), inMode(ctx, webhooks.isTest))!;

/** Omitted fields stay unchanged. */
export type WebhookChanges = {
  endpoint?: string | undefined;
  /** Replaces the list. */
  events?: readonly string[] | undefined;
  status?: Webhook["status"] | undefined;
};

/**
 * Updates a webhook of the company. While it is disabled, no events are recorded for it and pending ones
 * wait; enabling it resets its failures and makes them due at once.
 *
 * @throws Refusal `invalid` for the endpoint or the events, `not_found`
 */
export async function updateWebhook(
  ctx: Context,
  id: string,
  changes: WebhookChanges,
): Promise<void> {
  const { endpoint, events } = readFields({
    endpoint: () => (changes.endpoint === undefined ? undefined : parseEndpoint(changes.endpoint)),
    events: () => (changes.events === undefined ? undefined : parseEventTypes(changes.events)),
  });

  const isEnabled = await inTransaction(ctx, async (ctx) => {
    const before = await lockWebhook(ctx, id);
    const change = differences(before, { endpoint, events, status: changes.status });
    if (Object.keys(change).length === 0) return false;
    await ctx.db
      .update(webhooks)
      .set({ ...change, ...(change.status === "enabled" && NO_FAILURES) })
      .where(eq(webhooks.id, before.id));
    if (change.status === "enabled") await makeEventsDue(ctx, before.id);
    await recordAudit(ctx, "webhook.updated", { webhookId: before.id, ...change });
    return change.status === "enabled";
  });
  if (isEnabled) wakeWebhooks(ctx.db);
}

const NO_FAILURES = {
  failures: 0,
  failingSince: null,
  noticedAt: null,
  disabledForFailuresAt: null,
};

/** The values that would change. */
const differences = (
  before: Webhook,
  { endpoint, events, status }: WebhookChanges,
): Partial<Pick<Webhook, "endpoint" | "events" | "status">> => ({
  ...(endpoint !== undefined && endpoint !== before.endpoint && { endpoint }),
  ...(events && !isDeepStrictEqual(events, before.events) && { events: [...events] }),
  ...(status !== undefined && status !== before.status && { status }),
});

/** Overdue events are due already. */
async function makeEventsDue(ctx: Context, webhookId: string): Promise<void> {
  const { nextAttemptAt } = webhookEvents;
  await ctx.db
    .update(webhookEvents)
    .set({ nextAttemptAt: sql`clock_timestamp()` })
    .where(and(eq(webhookEvents.webhookId, webhookId), gt(nextAttemptAt, sql`clock_timestamp()`)));
}

/**
 * Deletes a webhook of the company with its events and their attempts. An attempt in progress may still
 * arrive.
 *
 * Deletes events first, in small transactions: publishing events needs the webhook's row, and would wait
 * while it is being deleted, holding the quota locks.
 *
 * @throws Refusal `not_found`
 */
export async function deleteWebhook(ctx: Context, id: string): Promise<void> {
  const { id: webhookId, endpoint } = await requireWebhook(ctx, id);
  await forEachEventBatch(ctx, { webhookId }, async (ctx, ids) => {
    // Skips locked events; deleting the webhook deletes them too.
    const isInBatch = inArray(webhookEvents.id, ids);
    const { id } = webhookEvents;
    const free = ctx.db
      .select({ id })
      .from(webhookEvents)
      .where(isInBatch)
      .for("update", { skipLocked: true });
    await ctx.db.delete(webhookEvents).where(inArray(id, free));
  });
  await inTransaction(ctx, async (ctx) => {
    const deleted = await ctx.db
      .delete(webhooks)
      .where(isWebhook(ctx, webhookId))
      .returning({ id: webhooks.id });
    if (deleted.length === 0) throw webhookNotFound();
    await recordAudit(ctx, "webhook.deleted", { webhookId, endpoint });
  });
}

/**
 * Replaces the secret of a webhook of the company. All attempts are signed with the new one from now on.
 *
 * @throws Refusal `not_found`
 */
export async function rotateSecret(ctx: Context, id: string): Promise<{ signingSecret: string }> {
  const signingSecret = newSigningSecret();
  await inTransaction(ctx, async (ctx) => {
    const [webhook] = await ctx.db
      .update(webhooks)
      .set({ sealedSecret: seal("webhook_secret", signingSecret) })
      .where(isWebhook(ctx, id))
      .returning({ id: webhooks.id });
    if (!webhook) throw webhookNotFound();
    await recordAudit(ctx, "webhook.secret_rotated", { webhookId: webhook.id });
  });
  return { signingSecret };
}

/** Condition for the company's webhook with this id, in the caller's mode. Matches nothing if the id is invalid. */
export const isWebhook = (ctx: Context, id: string): SQL | undefined =>
  isUuid(id)
    ? and(eq(webhooks.id, id), eq(webhooks.companyId, ctx.companyId), inMode(ctx, webhooks.isTest))
    : sql`false`;

/**
 * Returns the company's webhook with this id.
 *
 * @throws Refusal `not_found`
 */
export async function requireWebhook(ctx: Context, id: string): Promise<Webhook> {
  const [webhook] = await ctx.db.select().from(webhooks).where(isWebhook(ctx, id));
  if (!webhook) throw webhookNotFound();
  return webhook;
}

/**
 * Like `requireWebhook`, and locks the row until the transaction ends. Take this lock before those of its
 * events.
 */
export async function lockWebhook(ctx: Context, id: string): Promise<Webhook> {
  const [webhook] = await ctx.db
    .select()
    .from(webhooks)
    .where(isWebhook(ctx, id))
    .for("no key update");
  if (!webhook) throw webhookNotFound();
  return webhook;
}

/** @throws Refusal `invalid` if the webhook is disabled */
export function requireEnabled({ status }: Pick<Webhook, "status">): void {
  if (status === "disabled")
    throw new Refusal("invalid", "The webhook is disabled. Enable it before you send events to it");
}

const webhookNotFound = () => new Refusal("not_found", "Webhook not found");

/**
 * A webhook with its secret in plain text. Decrypted on access, so that a webhook whose secret can't be
 * decrypted can still be read, and its secret rotated.
 */
export type ShownWebhook = Omit<Webhook, "sealedSecret"> & { signingSecret: string };

const shownWebhook = ({ sealedSecret, ...webhook }: Webhook): ShownWebhook => ({
  ...webhook,
  get signingSecret() {
    return unseal("webhook_secret", sealedSecret);
  },
});

const PREFIX = "whsec_";

/** Standard Webhooks requires 24 to 64. */
const BYTES = 32;

/** A new signing secret in the form receivers store: `whsec_` and base64. */
export const newSigningSecret = () => PREFIX + randomBytes(BYTES).toString("base64");

/** A key object: with a Buffer, the HMAC takes three times as long. */
export const webhookSigningKey = (secret: string) =>
  createSecretKey(secret.slice(PREFIX.length), "base64");

/** Webhooks per company and mode. */
export const WEBHOOKS_MAX = 10;

/** Entries in a list of event types, including duplicates. */
export const EVENTS_MAX = 20;

/**
 * Returns the event types of a subscription without duplicates, in order.
 *
 * @throws Refusal `invalid` for none, for more than 20 entries and for an unknown type
 */
function parseEventTypes(events: readonly string[]): WebhookEventType[] {
  if (events.length === 0 || events.length > EVENTS_MAX)
    throw new Refusal("invalid", `events: must list 1 to ${EVENTS_MAX} event types`);
  return [...new Set(events.map(parseEventType))];
}

function parseEventType(event: string): WebhookEventType {
  const type = WEBHOOK_EVENT_TYPES.find((type) => type === event);
  if (!type)
    throw new Refusal(
      "invalid",
      `events: ${JSON.stringify(event.slice(0, 80))} is not an event type. Use one of ${WEBHOOK_EVENT_TYPES.join(", ")}`,
    );
  return type;
}

/** Events counted at most; beyond it the exact number doesn't matter. */
export const COUNT_LIMIT = 10_000;

/** Outcomes of the events of the last 24 hours. The sum is at most `COUNT_LIMIT`; the newest count. */
export type WebhookHealth = {
  delivered: number;
  failed: number;
  /** With an attempt to come. */
  waiting: number;
};

/** Returns the health of webhooks of the company, by id. */
export async function getWebhookHealth(
  ctx: Context,
  webhookIds: string[],
): Promise<Map<string, WebhookHealth>> {
  const rows = await ctx.db.execute<WebhookHealth & { id: string }>(sql`
    select w.id, health.* from webhooks w cross join lateral (
      select count(*) filter (where status = 'success')::int as delivered,
        count(*) filter (where status = 'failed')::int as failed,
        count(*) filter (where status in ('pending', 'attempting'))::int as waiting
      from (
        select status from webhook_events e
        where e.webhook_id = w.id and e.created_at > clock_timestamp() - interval '24 hours'
        order by e.created_at desc limit ${COUNT_LIMIT}) newest) health
    where w.company_id = ${ctx.companyId}
      and w.id = any(array(select jsonb_array_elements_text(${JSON.stringify(webhookIds)}::jsonb)::uuid))`);
  return new Map(rows.map(({ id, ...health }) => [id, health]));
}
