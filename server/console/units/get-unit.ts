import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import { getUnit as get } from "#server/core/mailboxes/org-units/unit-views.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { PolicyResponse, policyResponse } from "./policy-fields.ts";
import { UnitPath } from "./unit-path.ts";

const { value: Value, from: From } = PolicyResponse.shape;

export const getUnit = defineEndpoint({
  method: "GET",
  path: "/console/api/units/{id}",
  summary: "Retrieve a unit with its policies",
  permission: "console",
  privilege: "view_users",
  admitsUnitRoles: true,
  params: UnitPath,
  response: z.object({
    id: z.int(),
    name: z.string(),
    is_root: z.boolean(),
    mailboxes: z.int(),
    created_at: z.string(),
    policies: z.array(
      PolicyResponse.extend({
        own: Value.describe("The unit's own value; null if inherited"),
        above: z.object({ value: Value, from: From }).describe("The value the unit would inherit"),
        applies_to: z.int().describe("Mailboxes a value set here applies to"),
        used_this_week: z
          .int()
          .nullable()
          .describe(
            "How many of them used what it allows in the last seven days; null if that isn't known",
          ),
      }),
    ),
    roles: z
      .array(z.object({ name: z.string(), unit_id: z.int(), admins: z.int() }))
      .describe("Roles limited to this unit or a subunit"),
    default_quota_mb: z.int().describe("The company's default mailbox size"),
    quota_mb_max: z.int().nullable(),
  }),
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params }) {
    const { unit, policies, roles, sizes } = await get(ctx, signedIn, params.id);
    return {
      ...{ id: unit.id, name: unit.name, is_root: unit.parentId === null },
      mailboxes: unit.mailboxes,
      created_at: consoleTimestamp(unit.createdAt),
      policies: policies.map(({ own, above, appliesTo, usedThisWeek, ...policy }) => ({
        ...{ ...policyResponse(policy), own, applies_to: appliesTo, used_this_week: usedThisWeek },
        above: { value: above.value, from: above.from },
      })),
      roles: roles.map(({ name, unitId, admins }) => ({ name, unit_id: unitId, admins })),
      default_quota_mb: sizes.defaultQuotaMb,
      quota_mb_max: sizes.quotaMbMax,
    };
  },
});
