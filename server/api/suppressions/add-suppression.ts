import { z } from "zod";

import { addSuppressions } from "#server/core/sending/suppressions/add-suppressions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { Address } from "./address-fields.ts";
import { SuppressionAdded, suppressionAdded } from "./suppression-object.ts";

export const addSuppression = defineEndpoint({
  method: "POST",
  path: "/suppressions",
  summary: "Add a suppression",
  description:
    "The company sends no more email to the address, including emails already scheduled. An address that is already on the list keeps its ID and origin.",
  permission: "full_access",
  privilege: "api_controls",
  body: z.object({
    email: Address.describe("One email address. A display name is ignored"),
  }),
  response: SuppressionAdded,
  refusals: ["missing_required_field", "invalid"],
  async handle({ ctx, body }) {
    const [id] = await addSuppressions(ctx, [body.email]);
    return suppressionAdded(id!);
  },
});
