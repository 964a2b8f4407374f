import { getReceived as get } from "#server/core/mail/received/get-received.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { NOT_FOUND, ReceivedDetail, ReceivedPath, receivedRow } from "./received-row.ts";

export const getReceived = defineEndpoint({
  method: "GET",
  path: "/console/api/received/{id}",
  summary: "Retrieve a received email",
  permission: "console",
  privilege: "api_controls",
  params: ReceivedPath,
  notFound: NOT_FOUND,
  response: ReceivedDetail,
  refusals: ["not_found"],
  async handle({ ctx, params: { id } }) {
    const email = await get(ctx, id, { embedsImages: true });
    const { to, cc, replyTo, messageId, sender, spf, dkim, dmarc, size, problem } = email;
    return {
      ...receivedRow(email),
      ...{ to, cc, reply_to: replyTo, message_id: messageId, sender, spf, dkim, dmarc, size },
      ...{ problem, spam_score: email.spamScore, replied_email_id: email.repliedEmailId },
      ...{ html: email.html, text: email.text, headers: email.headers },
      files: email.files.map((file) => ({
        ...{ position: file.position, filename: file.filename, size: file.size },
        ...{ content_type: file.contentType, content_id: file.contentId },
      })),
    };
  },
});
