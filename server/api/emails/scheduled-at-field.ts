import { z } from "zod";

import { parseScheduledAt } from "#server/core/sending/emails/scheduled-at.ts";

/** When to send an email; null means now. */
export const ScheduledAt = z.string().transform(readScheduledAt);

/** Absent, null and "" mean now. */
export const OptionalScheduledAt = z
  .string()
  .nullish()
  .transform((text, context) => (text ? readScheduledAt(text, context) : null));

function readScheduledAt(text: string, context: z.RefinementCtx): Date | null {
  const read = parseScheduledAt(text, new Date());
  if ("at" in read) return read.at;
  context.addIssue(read.problem);
  return z.NEVER;
}
