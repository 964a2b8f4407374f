import { z } from "zod";

import { addSuppressions } from "#server/core/sending/suppressions/add-suppressions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Batch, readAddresses } from "./address-fields.ts";
import { SuppressionAdded, suppressionAdded } from "./suppression-object.ts";

export const addBatch = defineEndpoint({
  method: "POST",
  path: "/suppressions/batch/add",
  summary: "Suppress up to 100 addresses",
  description:
    "All of them or, when one is wrong, none. An address that is on the list already keeps its id and its origin; one that is given several times counts once.",
  permission: "full_access",
  privilege: "api_controls",
  body: z.object({ emails: Batch.describe("1 to 100 email addresses") }),
  response: z.object({
    data: z.array(SuppressionAdded).describe("In the order in which the addresses first occur"),
  }),
  refusals: ["missing_required_field", "invalid"],
  async handle({ ctx, body }) {
    const ids = await addSuppressions(ctx, readAddresses(body.emails));
    return { data: ids.map(suppressionAdded) };
  },
});
