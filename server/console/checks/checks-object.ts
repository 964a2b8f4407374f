import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { CHECKS } from "#server/core/operations/system-checks/checks.ts";
import type { KnownCheck } from "#server/core/operations/system-checks/run-checks.ts";

export const ChecksObject = z.object({
  data: z.array(
    z.object({
      name: z.enum(CHECKS.map(({ id }) => id)),
      label: z.string(),
      state: z
        .enum(["ok", "warning", "failed", "unknown"])
        .nullable()
        .describe("Null until the first run finishes"),
      found: z.string().describe("The result in one sentence"),
      advice: z.string().nullable().describe("What to do about it"),
      command: z
        .string()
        .nullable()
        .describe("A command to verify the result from another machine"),
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
