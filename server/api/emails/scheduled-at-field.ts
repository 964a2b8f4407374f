import { z } from "zod";

import { parseScheduledAt } from "#server/core/emails/scheduled-at.ts";

/** When an email is to go out; null: at once. */
export const ScheduledAt = z.string().transform((text, context) => {
  const read = parseScheduledAt(text, new Date());
  if ("at" in read) return read.at;
  context.addIssue(read.problem);
  return z.NEVER;
});

/** Left out, null or "": at once. */
export const OptionalScheduledAt = z
  .union([z.literal(""), ScheduledAt])
  .nullish()
  .transform((at) => at || null);
