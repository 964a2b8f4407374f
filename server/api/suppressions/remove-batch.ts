import { z } from "zod";

import { removeSuppressions } from "#server/core/sending/suppressions/remove-suppressions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Batch, readAddresses, readIds } from "./address-fields.ts";
import { SuppressionRemoved, suppressionRemoved } from "./suppression-object.ts";

export const removeBatch = defineEndpoint({
  method: "POST",
  path: "/suppressions/batch/remove",
  summary: "Remove a batch of suppressions",
  description:
    "Removes up to 100 suppressions. Provide either `emails` or `ids`. Entries that are not on the list are ignored.",
  permission: "full_access",
  privilege: "api_controls",
  body: z
    .object({
      emails: Batch.optional().describe("1 to 100 email addresses"),
      ids: Batch.optional().describe("1 to 100 suppression IDs"),
    })
    .refine(({ emails, ids }) => (emails === undefined) !== (ids === undefined), {
      error: "Provide either emails or ids",
    }),
  response: z.object({
    data: z.array(SuppressionRemoved).describe("The removed suppressions, in request order"),
  }),
  refusals: ["invalid"],
  async handle({ ctx, body: { emails, ids } }) {
    const named = emails ? { emails: readAddresses(emails) } : { ids: readIds(ids ?? []) };
    return { data: (await removeSuppressions(ctx, named)).map(suppressionRemoved) };
  },
});
