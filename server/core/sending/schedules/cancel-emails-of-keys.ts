import { inArray } from "drizzle-orm";

import { emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

import { cancelLocked } from "./cancel-locked.ts";
import { lockScheduled } from "./lock-scheduled.ts";

/** The reason recorded for canceled emails of a revoked key. */
export const KEY_REVOKED = "The API key that scheduled the email was revoked";

/**
 * Cancels the scheduled emails of keys that are being revoked, in the caller's transaction.
 *
 * @returns the number canceled, by key
 */
export async function cancelEmailsOfKeys(
  ctx: Context,
  keyIds: string[],
): Promise<Map<string, number>> {
  if (keyIds.length === 0) return new Map();
  const waiting = await lockScheduled(ctx, inArray(emails.apiKeyId, keyIds));
  await cancelLocked(ctx, waiting, KEY_REVOKED);
  return new Map(
    keyIds.map((keyId) => [keyId, waiting.filter(({ apiKeyId }) => apiKeyId === keyId).length]),
  );
}
