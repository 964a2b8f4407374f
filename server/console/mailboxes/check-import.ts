import { z } from "zod";

import { checkImport as check } from "#server/core/mailboxes/mailboxes/mailbox-import.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const LINES_MAX = 5_000;
const ALIASES_MAX = 50;

/** Above every field's limit, so that the field's own error names the field. */
const Text = z.string().max(1_000);

export const checkImport = defineEndpoint({
  method: "POST",
  path: "/console/api/mailbox-imports/check",
  summary: "Validate a list of new mailboxes without creating any",
  permission: "console",
  privilege: "create_users",
  admitsUnitRoles: true,
  bodyLimit: "sending",
  body: z.object({
    lines: z
      .array(
        z.object({
          email: Text,
          name: Text.default(""),
          quota_mb: z.number().optional(),
          unit: Text.default("").describe("Path from below the root: Sales / Berlin"),
          aliases: z.array(Text).max(ALIASES_MAX).default([]),
          status: Text.optional().describe("Suspended or archived users are skipped"),
        }),
      )
      .min(1)
      .max(LINES_MAX, { error: `must have at most ${LINES_MAX} lines` }),
  }),
  response: z.object({
    blocked: z.string().nullable().describe("Why no mailboxes can be created"),
    lines: z
      .array(
        z.object({
          outcome: z.enum(["new", "exists", "refused"]),
          email: z.string().nullable(),
          quota_mb: z.int().nullable(),
          unit: z.object({ id: z.int(), name: z.string() }).nullable(),
          aliases: z.array(z.string()).describe("Aliases not created yet"),
          problems: z.array(
            z.object({
              field: z.enum(["email", "name", "quota_mb", "unit", "aliases", "status"]),
              message: z.string(),
            }),
          ),
        }),
      )
      .describe("One for each line, in order"),
  }),
  refusals: ["missing_required_field", "invalid"],
  async handle({ ctx, signedIn, body }) {
    const asked = body.lines.map(({ quota_mb: quotaMb, ...line }) => ({ ...line, quotaMb }));
    const { lines, blocked } = await check(ctx, signedIn, asked);
    return {
      blocked,
      lines: lines.map(({ outcome, address, quotaMb, unit, aliases, problems }) => ({
        ...{ outcome, email: address, quota_mb: quotaMb, aliases, problems },
        unit: unit && { id: unit.id, name: unit.name },
      })),
    };
  },
});
