import { composeSource } from "#server/core/sending/emails/compose-source.ts";
import { Download, DownloadSchema } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailPath, NOT_FOUND } from "./email-path.ts";

export const downloadEmail = defineEndpoint({
  method: "GET",
  path: "/console/api/emails/{id}/source/file",
  summary: "Download the message source as sent, before DKIM signing",
  permission: "console",
  privilege: "api_controls",
  params: EmailPath,
  notFound: NOT_FOUND,
  response: DownloadSchema,
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id } }) =>
    new Download(`${id}.eml`, "application/octet-stream", await composeSource(ctx, id)),
});
