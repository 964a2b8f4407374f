import type { Context } from "#server/core/shared/context.ts";

import { requireWebhook } from "./require-webhook.ts";
import { type ShownWebhook, shownWebhook } from "./shown-webhook.ts";

/**
 * Returns a webhook of the company with its secret.
 *
 * @throws Refusal `not_found`
 */
export async function getWebhook(ctx: Context, id: string): Promise<ShownWebhook> {
  return shownWebhook(await requireWebhook(ctx, id));
}
