import { and, eq } from "drizzle-orm";

import { webhooks } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { lockCompany } from "#server/core/shared/lock-company.ts";
import { isTestMode } from "#server/core/shared/mode.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";

import { WEBHOOKS_MAX } from "./limits.ts";
import { parseEndpoint } from "./parse-endpoint.ts";
import { parseEventTypes } from "./internal/parse-event-types.ts";
import { newSigningSecret } from "./signing-secret.ts";

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
        ...{
          companyId: ctx.companyId,
          endpoint,
          events,
          sealedSecret: seal("webhook_secret", signingSecret),
        },
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
