import { z } from "zod";

import { importList as importRows } from "#server/core/sending/suppressions/import-list.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { UploadedRows, toUploadedRows } from "./uploaded-rows.ts";

export const importList = defineEndpoint({
  method: "POST",
  path: "/console/api/suppression-imports",
  summary: "Import rows of a suppression list, with their reasons and dates",
  description: "Skips invalid rows, and addresses that are suppressed already.",
  permission: "console",
  privilege: "api_controls",
  bodyLimit: "sending",
  body: UploadedRows,
  response: z.object({ added: z.int() }),
  refusals: ["missing_required_field", "invalid"],
  handle: async ({ ctx, body }) => ({ added: await importRows(ctx, toUploadedRows(body)) }),
});
