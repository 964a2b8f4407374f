import { z } from "zod";

import { requireAttachments } from "#server/core/sending/emails/list-attachments.ts";
import { pageInMemory } from "#server/core/shared/paging/page-in-memory.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import { AttachmentListItem, attachmentListItem } from "./attachment-object.ts";

export const listAttachments = defineEndpoint({
  method: "GET",
  path: "/emails/{id}/attachments",
  summary: "List an email's attachments",
  description:
    "In message order. Content is deleted 3 days after sending; from then on this is a 404 that says so.",
  permission: "full_access",
  admitsTestKeys: true,
  privilege: "api_controls",
  params: z.object({ id: z.uuid().describe("The email's ID") }),
  notFound: "Email not found",
  query: PageQuery,
  response: listOf(AttachmentListItem),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id }, query }) => {
    const files = await requireAttachments(ctx, id);
    return listObject(pageInMemory(files, query), (file) => attachmentListItem(ctx, id, file));
  },
});
