import { z } from "zod";

import { releaseQuarantined as release } from "#server/core/mail/quarantine/release-quarantined.ts";
import { visibleReasons } from "#server/core/mail/quarantine/visible-reasons.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, QuarantinePath } from "./quarantine-row.ts";

export const releaseQuarantined = defineEndpoint({
  method: "POST",
  path: "/console/api/quarantine/{id}/release",
  summary: "Release a quarantined message to its recipients",
  permission: "console",
  privilege: ["update_users", "manage_groups"],
  params: QuarantinePath,
  notFound: NOT_FOUND,
  response: z.object({
    released_to: z.array(z.string()),
    /** Recipients that no longer exist. */
    gone: z.array(z.string()),
  }),
  refusals: ["not_found", "invalid"],
  async handle({ ctx, signedIn, params }) {
    const { to, gone } = await release(ctx, params.id, visibleReasons(signedIn));
    return { released_to: to, gone };
  },
});
