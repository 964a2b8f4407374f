import { removeSuppression as remove } from "#server/core/sending/suppressions/remove-suppressions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { IdOrAddress, SuppressionRemoved, suppressionRemoved } from "./suppression-object.ts";

export const removeSuppression = defineEndpoint({
  method: "DELETE",
  path: "/suppressions/{id}",
  summary: "Remove a suppression",
  description:
    "By its ID or address. Email can be sent to the address again immediately; the next permanent bounce suppresses it again.",
  permission: "full_access",
  privilege: "api_controls",
  params: IdOrAddress,
  response: SuppressionRemoved,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => suppressionRemoved(await remove(ctx, params.id)),
});
