import { z } from "zod";

import {
  PROBLEM_KINDS,
  snoozeProblem as snooze,
} from "#server/core/operations/overview/problems.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const Snooze = z.object({
  kind: z.enum(PROBLEM_KINDS),
  state: z.string().max(100).describe("The problem's `state` that you have seen"),
  days: z
    .union([z.literal(1), z.literal(7), z.literal(30)])
    .nullable()
    .describe("Null ends it"),
});

export const snoozeProblem = defineEndpoint({
  method: "POST",
  path: "/console/api/overview/snooze",
  summary: "Snooze a problem on the overview for yourself",
  description: "It comes back when the snooze ends or the problem gets worse.",
  permission: "console",
  privilege: null,
  admitsUnitRoles: true,
  body: Snooze,
  bodyLimit: "directory",
  response: Snooze,
  notFound: "This problem has been resolved",
  refusals: ["not_found", "invalid"],
  async handle({ ctx, signedIn, body }) {
    await snooze(ctx, signedIn, body);
    return body;
  },
});
