import { listChecks as list } from "#server/core/operations/system-checks/list-checks.ts";
import { startChecks } from "#server/core/operations/system-checks/run-checks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { checksObject, ChecksObject } from "./checks-object.ts";

/** What is older is looked at again when somebody opens the page. */
const FRESH_SECONDS = 600;

export const listChecks = defineEndpoint({
  method: "GET",
  path: "/console/api/checks",
  summary: "What is known of the appliance’s own state",
  description: "Checks that are older than ten minutes are run anew; ask again for what they find.",
  permission: "operator",
  privilege: null,
  response: ChecksObject,
  refusals: [],
  handle: async ({ ctx }) => {
    await startChecks(ctx.db, { olderThanSeconds: FRESH_SECONDS });
    return checksObject(await list(ctx.db));
  },
});
