import { z } from "zod";

import { addSuppressions } from "#server/core/sending/suppressions/add-suppressions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Batch, readAddresses } from "./address-fields.ts";
import { SuppressionAdded, suppressionAdded } from "./suppression-object.ts";

export const addBatch = defineEndpoint({
  method: "POST",
  path: "/suppressions/batch/add",
  summary: "Add a batch of suppressions",
  description:
    "Adds up to 100 addresses. If one is invalid, none are added. Addresses already on the list keep their ID and origin; duplicates count once.",
  permission: "full_access",
  privilege: "api_controls",
  body: z.object({ emails: Batch.describe("1 to 100 email addresses") }),
  response: z.object({
    data: z
      .array(SuppressionAdded)
      .describe("The suppressions, in the order of the addresses without duplicates"),
  }),
  refusals: ["missing_required_field", "invalid"],
  async handle({ ctx, body }) {
    const ids = await addSuppressions(ctx, readAddresses(body.emails));
    return { data: ids.map(suppressionAdded) };
  },
});
