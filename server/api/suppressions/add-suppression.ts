import { z } from "zod";

import { addSuppressions } from "#server/core/sending/suppressions/add-suppressions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Address } from "./address-fields.ts";
import { SuppressionAdded, suppressionAdded } from "./suppression-object.ts";

export const addSuppression = defineEndpoint({
  method: "POST",
  path: "/suppressions",
  summary: "Suppress an address",
  description:
    "From now on the company's emails skip the address, scheduled ones too. An address that is on the list already keeps its id and its origin.",
  permission: "full_access",
  privilege: "api_controls",
  body: z.object({
    email: Address.describe("One email address; a display name beside it is left away"),
  }),
  response: SuppressionAdded,
  refusals: ["missing_required_field", "invalid"],
  async handle({ ctx, body }) {
    const [id] = await addSuppressions(ctx, [body.email]);
    return suppressionAdded(id!);
  },
});
