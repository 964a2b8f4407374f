import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { CHECK_NAMES } from "#server/core/operations/system-checks/checks.ts";
import type { KnownCheck } from "#server/core/operations/system-checks/list-checks.ts";

/** What is known of every part of the appliance. */
export const ChecksObject = z.object({
  data: z.array(
    z.object({
      name: z.enum(CHECK_NAMES),
      state: z
        .enum(["ok", "warning", "failed", "unknown"])
        .nullable()
        .describe("Null while nobody has looked to the end"),
      found: z.string().describe("One sentence of what was seen"),
      advice: z.string().nullable().describe("What to do about it"),
      command: z.string().nullable().describe("Shows the same from elsewhere"),
      checked_at: z.string().nullable(),
      is_running: z.boolean(),
    }),
  ),
});

export function checksObject(checks: KnownCheck[]): z.input<typeof ChecksObject> {
  return {
    data: checks.map(({ checkedAt, isRunning, ...check }) => ({
      ...check,
      checked_at: checkedAt && consoleTimestamp(checkedAt),
      is_running: isRunning,
    })),
  };
}
