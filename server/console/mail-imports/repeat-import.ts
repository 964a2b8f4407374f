import { z } from "zod";

import { repeatImport as repeat } from "#server/core/mailboxes/imports/imports.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ImportPath } from "./import-row.ts";
import { accountFields } from "./server-fields.ts";

export const repeatImport = defineEndpoint({
  method: "POST",
  path: "/console/api/mail-imports/{id}/repeat",
  summary: "Import mail that is new since the last pass, and changes of flags",
  permission: "console",
  privilege: "update_users",
  admitsUnitRoles: true,
  params: ImportPath,
  body: z.object({ secret: accountFields.secret.optional() }),
  response: z.object({ id: z.string() }),
  refusals: ["not_found", "missing_required_field", "invalid"],
  async handle({ ctx, signedIn, params: { id }, body }) {
    await repeat(ctx, signedIn, id, body);
    return { id };
  },
});
