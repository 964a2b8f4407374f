import { removeSuppression as remove } from "#server/core/sending/suppressions/remove-suppressions.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { IdOrAddress, SuppressionRemoved, suppressionRemoved } from "./suppression-object.ts";

export const removeSuppression = defineEndpoint({
  method: "DELETE",
  path: "/suppressions/{id}",
  summary: "Remove a suppression",
  description:
    "By its id or by the address. Emails go to the address again at once; the next permanent bounce puts it back.",
  permission: "full_access",
  privilege: "api_controls",
  params: IdOrAddress,
  response: SuppressionRemoved,
  refusals: ["not_found"],
  handle: async ({ ctx, params }) => suppressionRemoved(await remove(ctx, params.id)),
});
