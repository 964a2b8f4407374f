import { z } from "zod";

import { deleteQuarantined as remove } from "#server/core/mail/quarantine/delete-quarantined.ts";
import { visibleReasons } from "#server/core/mail/quarantine/visible-reasons.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, QuarantinePath } from "./quarantine-row.ts";

export const deleteQuarantined = defineEndpoint({
  method: "DELETE",
  path: "/console/api/quarantine/{id}",
  summary: "Delete a quarantined message",
  permission: "console",
  privilege: ["update_users", "manage_groups"],
  params: QuarantinePath,
  notFound: NOT_FOUND,
  response: z.object({ id: z.string() }),
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params }) {
    await remove(ctx, params.id, visibleReasons(signedIn));
    return { id: params.id };
  },
});
