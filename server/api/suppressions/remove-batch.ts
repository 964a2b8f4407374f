import { z } from "zod";

import { removeSuppressions } from "#server/core/sending/suppressions/remove-suppressions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Batch, readAddresses, readIds } from "./address-fields.ts";
import { SuppressionRemoved, suppressionRemoved } from "./suppression-object.ts";

export const removeBatch = defineEndpoint({
  method: "POST",
  path: "/suppressions/batch/remove",
  summary: "Remove up to 100 suppressions",
  description: "Give either `emails` or `ids`. What is not on the list is passed over.",
  permission: "full_access",
  privilege: "api_controls",
  body: z
    .object({
      emails: Batch.optional().describe("1 to 100 email addresses"),
      ids: Batch.optional().describe("1 to 100 suppression ids"),
    })
    .refine(({ emails, ids }) => (emails === undefined) !== (ids === undefined), {
      error: "Give either emails or ids",
    }),
  response: z.object({
    data: z.array(SuppressionRemoved).describe("Those removed, in the order they were named"),
  }),
  refusals: ["invalid"],
  async handle({ ctx, body: { emails, ids } }) {
    const named = emails ? { emails: readAddresses(emails) } : { ids: readIds(ids ?? []) };
    return { data: (await removeSuppressions(ctx, named)).map(suppressionRemoved) };
  },
});
