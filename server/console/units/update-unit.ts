import { z } from "zod";

import { updateUnit as update } from "#server/core/mailboxes/org-units/units.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { PolicyChanges, policiesFromBody } from "./policy-fields.ts";
import { UnitPath } from "./unit-path.ts";

export const updateUnit = defineEndpoint({
  method: "PATCH",
  path: "/console/api/units/{id}",
  summary: "Update a unit's name, parent, or policies",
  permission: "console",
  privilege: "manage_settings",
  bodyLimit: "directory",
  params: UnitPath,
  body: z.object({ name: z.string(), parent_id: z.int(), policies: PolicyChanges }).partial(),
  response: z.object({ id: z.int() }),
  refusals: ["not_found", "invalid", "already_exists", "not_allowed"],
  async handle({
    ctx,
    signedIn,
    params: { id },
    body: { name, parent_id: parentId, policies = {} },
  }) {
    await update(ctx, signedIn, id, { name, parentId, policies: policiesFromBody(policies) });
    return { id };
  },
});
