import { eq, sql } from "drizzle-orm";

import { type Quarantined, quarantineContents } from "#drizzle/schema/index.ts";
import { requireMayOpen } from "#server/core/mailboxes/addresses/readers.ts";
import type { Context } from "#server/core/shared/context.ts";

import { type Preview, previewMessage } from "./internal/preview-message.ts";
import { quarantinedNotFound, requireQuarantined } from "./internal/require-quarantined.ts";
import type { QuarantineReason } from "./visible-reasons.ts";

// Limits the memory for a preview.
const READ_BYTES_MAX = 1024 * 1024;

/**
 * A quarantined message with a safe preview.
 *
 * @throws Refusal `not_found`; `invalid_permission` as `requireMayOpen`
 */
export async function getQuarantined(
  ctx: Context,
  id: string,
  reasons: QuarantineReason[],
): Promise<Quarantined & Preview> {
  const held = await requireQuarantined(ctx, id, reasons);
  await requireMayOpen(ctx, held.recipients);
  const [kept] = await ctx.db
    .select({
      content: sql<Buffer>`substring(${quarantineContents.content} from 1 for ${READ_BYTES_MAX})`,
    })
    .from(quarantineContents)
    .where(eq(quarantineContents.quarantineId, held.id));
  if (!kept) throw quarantinedNotFound();
  return {
    ...held,
    ...previewMessage(kept.content, { isWhole: held.size <= READ_BYTES_MAX }),
  };
}
