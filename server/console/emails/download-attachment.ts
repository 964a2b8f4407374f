import { getAttachment as get } from "#server/core/sending/emails/get-attachment.ts";
import { Download, DownloadSchema } from "#server/http/download.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { AttachmentPath, NO_ATTACHMENT } from "./email-path.ts";

export const downloadAttachment = defineEndpoint({
  method: "GET",
  path: "/console/api/emails/{id}/attachments/{position}/file",
  summary: "Download an attachment",
  permission: "console",
  privilege: "api_controls",
  params: AttachmentPath,
  notFound: NO_ATTACHMENT,
  response: DownloadSchema,
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id, position } }) => {
    const { filename, content } = await get(ctx, id, position);
    // The generic type keeps browsers from opening a stranger's file.
    return new Download(
      filename ?? `attachment-${position + 1}`,
      "application/octet-stream",
      content,
    );
  },
});
