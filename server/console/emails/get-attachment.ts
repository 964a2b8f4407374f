import { z } from "zod";

import { getAttachment as get } from "#server/core/sending/emails/get-attachment.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

/** Zero-based position of an attachment in its email. */
const Position = z
  .string()
  .regex(/^\d{1,3}$/)
  .transform(Number);

export const getAttachment = defineEndpoint({
  method: "GET",
  path: "/console/api/emails/{id}/attachments/{position}",
  summary: "Retrieve an attachment",
  permission: "console",
  privilege: "api_controls",
  params: z.object({ id: z.uuid(), position: Position }),
  notFound: "Attachment not found",
  response: z.object({ content: z.string().describe("Base64") }),
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id, position } }) => {
    const { content } = await get(ctx, id, position);
    return { content: content.toString("base64") };
  },
});
