import { z } from "zod";

import { ATTACHMENT_NOT_FOUND } from "#server/api/emails/attachment-object.ts";
import { listReceivedFiles } from "#server/core/mail/received/get-received.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { ReceivedAttachment, receivedAttachment, ReceivedPath } from "./received-object.ts";

export const getReceivedAttachment = defineEndpoint({
  method: "GET",
  path: "/emails/receiving/{id}/attachments/{attachment_id}",
  summary: "Retrieve a received email's attachment",
  permission: "full_access",
  privilege: "api_controls",
  params: ReceivedPath.extend({ attachment_id: z.uuid().describe("The attachment's ID") }),
  notFound: ATTACHMENT_NOT_FOUND,
  response: ReceivedAttachment,
  refusals: ["not_found"],
  handle: async ({ ctx, params: { id, attachment_id } }) => {
    const file = (await listReceivedFiles(ctx, id)).find((one) => one.id === attachment_id);
    if (!file) throw new Refusal("not_found", ATTACHMENT_NOT_FOUND);
    return { object: "attachment" as const, ...receivedAttachment(ctx, id, file) };
  },
});
