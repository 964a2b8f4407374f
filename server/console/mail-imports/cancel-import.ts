import { z } from "zod";

import { cancelImport as cancel } from "#server/core/mailboxes/imports/imports.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ImportPath } from "./import-row.ts";

export const cancelImport = defineEndpoint({
  method: "POST",
  path: "/console/api/mail-imports/{id}/cancel",
  summary: "Stop an import and erase its password; of a finished one, only erase the password",
  permission: "console",
  privilege: "update_users",
  admitsUnitRoles: true,
  params: ImportPath,
  response: z.object({ id: z.string() }),
  refusals: ["not_found"],
  async handle({ ctx, signedIn, params: { id } }) {
    await cancel(ctx, signedIn, id);
    return { id };
  },
});
