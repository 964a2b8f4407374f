import {
  listChecks as list,
  startChecks,
} from "#server/core/operations/system-checks/run-checks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { checksObject, ChecksObject } from "./checks-object.ts";

/** Older results are refreshed when the page opens. */
const FRESH_SECONDS = 600;

export const listChecks = defineEndpoint({
  method: "GET",
  path: "/console/api/checks",
  summary: "List the server's checks",
  description: "Starts checks whose results are older than ten minutes. Poll for new results.",
  permission: "operator",
  privilege: null,
  response: ChecksObject,
  refusals: [],
  handle: async ({ ctx }) => {
    await startChecks(ctx.db, { olderThanSeconds: FRESH_SECONDS });
    return checksObject(await list(ctx.db));
  },
});
