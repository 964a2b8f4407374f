import { listReceivedFiles } from "#server/core/mail/received/get-received.ts";
import { pageInMemory } from "#server/core/shared/paging/page-in-memory.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/pagination.ts";

import {
  RECEIVED_NOT_FOUND,
  receivedAttachment,
  ReceivedAttachmentItem,
  ReceivedPath,
} from "./received-object.ts";

export const listReceivedAttachments = defineEndpoint({
  method: "GET",
  path: "/emails/receiving/{id}/attachments",
  summary: "List a received email's attachments",
  description: "In message order.",
  permission: "full_access",
  privilege: "api_controls",
  params: ReceivedPath,
  notFound: RECEIVED_NOT_FOUND,
  query: PageQuery,
  response: listOf(ReceivedAttachmentItem),
  refusals: ["not_found", "invalid"],
  handle: async ({ ctx, params: { id }, query }) => {
    const files = await listReceivedFiles(ctx, id);
    return listObject(pageInMemory(files, query), (file) => receivedAttachment(ctx, id, file));
  },
});
