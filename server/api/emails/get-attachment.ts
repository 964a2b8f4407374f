import { z } from "zod";

import { requireAttachments } from "#server/core/sending/emails/list-attachments.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ATTACHMENT_NOT_FOUND, attachmentListItem, AttachmentObject } from "./attachment-object.ts";

export const getAttachment = defineEndpoint({
  method: "GET",
  path: "/emails/{id}/attachments/{attachment_id}",
  summary: "Retrieve an email's attachment",
  description:
    "Content is deleted 3 days after sending; from then on this is a 404 that says so, and links to it no longer work.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: z.object({
    id: z.uuid().describe("The email's ID"),
    attachment_id: z.uuid().describe("The attachment's ID"),
  }),
  notFound: ATTACHMENT_NOT_FOUND,
  response: AttachmentObject,
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id, attachment_id } }) => {
    const file = (await requireAttachments(ctx, id)).find((one) => one.id === attachment_id);
    if (!file) throw new Refusal("not_found", ATTACHMENT_NOT_FOUND);
    return { object: "attachment" as const, ...attachmentListItem(ctx, id, file) };
  },
});
