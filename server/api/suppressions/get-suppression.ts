import { getSuppression as get } from "#server/core/sending/suppressions/get-suppression.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { IdOrAddress, SuppressionObject, suppressionObject } from "./suppression-object.ts";

export const getSuppression = defineEndpoint({
  method: "GET",
  path: "/suppressions/{id}",
  summary: "Retrieve a suppression",
  description: "By its ID or address.",
  permission: "full_access",
  privilege: "api_controls",
  params: IdOrAddress,
  response: SuppressionObject,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => suppressionObject(await get(ctx, params.id)),
});
