import { webhooks } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";

import { isWebhook, webhookNotFound } from "./require-webhook.ts";
import { newSigningSecret } from "./signing-secret.ts";

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
