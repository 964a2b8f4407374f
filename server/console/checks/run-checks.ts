import { listChecks, startChecks } from "#server/core/operations/system-checks/run-checks.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { checksObject, ChecksObject } from "./checks-object.ts";

export const runChecks = defineEndpoint({
  method: "POST",
  path: "/console/api/checks",
  summary: "Run the server's checks",
  description: "Returns immediately. Poll the list for results.",
  permission: "operator",
  privilege: null,
  response: ChecksObject,
  refusals: [],
  handle: async ({ ctx }) => {
    await startChecks(ctx.db);
    return checksObject(await listChecks(ctx.db));
  },
});
