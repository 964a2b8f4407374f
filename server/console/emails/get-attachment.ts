import { z } from "zod";

import { getAttachment as get } from "#server/core/sending/emails/get-attachment.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { AttachmentPath, NO_ATTACHMENT } from "./email-path.ts";

export const getAttachment = defineEndpoint({
  method: "GET",
  path: "/console/api/emails/{id}/attachments/{position}",
  summary: "Retrieve an attachment, to show it",
  permission: "console",
  privilege: "api_controls",
  params: AttachmentPath,
  notFound: NO_ATTACHMENT,
  response: z.object({ content: z.string().describe("Base64") }),
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id, position } }) => {
    const { content } = await get(ctx, id, position);
    return { content: content.toString("base64") };
  },
});
