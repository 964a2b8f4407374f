import { z } from "zod";

import { getReceivedFile } from "#server/core/mail/received/get-received.ts";
import { Download, DownloadSchema } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ReceivedPath } from "./received-row.ts";

export const downloadReceivedFile = defineEndpoint({
  method: "GET",
  path: "/console/api/received/{id}/attachments/{position}/file",
  summary: "Download an attachment of a received email",
  permission: "console",
  privilege: "api_controls",
  params: ReceivedPath.extend({
    position: z
      .string()
      .regex(/^\d{1,3}$/)
      .transform(Number),
  }),
  notFound: "Attachment not found",
  response: DownloadSchema,
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id, position } }) => {
    const { filename, content } = await getReceivedFile(ctx, id, position);
    // The generic type keeps browsers from opening a stranger's file.
    const name = filename ?? `attachment-${position + 1}`;
    return new Download(name, "application/octet-stream", content);
  },
});
