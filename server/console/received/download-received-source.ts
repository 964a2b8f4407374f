import { getReceivedSource } from "#server/core/mail/received/get-received.ts";
import { Download, DownloadSchema } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, ReceivedPath } from "./received-row.ts";

export const downloadReceivedSource = defineEndpoint({
  method: "GET",
  path: "/console/api/received/{id}/source",
  summary: "Download a received email as it arrived",
  permission: "console",
  privilege: "api_controls",
  params: ReceivedPath,
  notFound: NOT_FOUND,
  response: DownloadSchema,
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id } }) =>
    new Download(`${id}.eml`, "application/octet-stream", await getReceivedSource(ctx, id)),
});
