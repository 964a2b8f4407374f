import { z } from "zod";

import { countedList, PageQuery, sortQuery } from "#server/http/lists.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import {
  getReceived,
  getReceivedFile,
  getReceivedSource,
  type ListedReceived,
  listReceived,
} from "#server/core/mail/received/received-emails.ts";
import { Download } from "#server/http/downloads.ts";
import { pageEndpoints, pathOf, read } from "#server/http/endpoint.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

const ReceivedPath = pathOf(
  "Received email not found. It may have been deleted after its retention",
  { id: z.uuid() },
);

function receivedRow(email: ListedReceived) {
  const { id, headerFrom: from, subject, receivedFor, isSpam, files, createdAt } = email;
  return {
    id,
    from,
    subject,
    receivedFor,
    isSpam,
    attachments: files.length,
    createdAt: consoleTimestamp(createdAt),
  };
}

export const receivedConsole = pageEndpoints("console", "received", {
  list: read({
    privilege: READ_EMAILS,
    query: PageQuery.and(
      z.object({
        search: z.string().max(200).optional(),
        sort: sortQuery(["created"], "-created"),
      }),
    ),
    async handle({ ctx, query: { search, sort, ...request } }) {
      const { direction } = sort;
      const page = await listReceived(ctx, { ...request, direction }, search || null);
      return countedList(page, receivedRow);
    },
  }),

  get: read({
    privilege: READ_EMAILS,
    params: ReceivedPath,
    async handle({ ctx, params: { id } }) {
      const email = await getReceived(ctx, id, { embedsImages: true });
      const { to, cc, replyTo, messageId, sender, spf, dkim, dmarc, size, problem } = email;
      return {
        ...receivedRow(email),
        to,
        cc,
        replyTo,
        messageId,
        sender,
        spf,
        dkim,
        dmarc,
        size,
        problem,
        spamScore: email.spamScore,
        repliedEmailId: email.repliedEmailId,
        html: email.html,
        text: email.text,
        headers: email.headers,
        files: email.files.map((file) => ({
          position: file.position,
          filename: file.filename,
          size: file.size,
          contentType: file.contentType,
          contentId: file.contentId,
        })),
      };
    },
  }),

  downloadFile: read({
    privilege: READ_EMAILS,
    params: pathOf("Attachment not found", {
      ...ReceivedPath.shape,
      position: z
        .string()
        .regex(/^\d{1,3}$/)
        .transform(Number),
    }),
    handle: async ({ ctx, params: { id, position } }) => {
      const { filename, content } = await getReceivedFile(ctx, id, position);
      // The generic type keeps browsers from opening a stranger's file.
      const name = filename ?? `attachment-${position + 1}`;
      return new Download(name, "application/octet-stream", content);
    },
  }),

  downloadSource: read({
    privilege: READ_EMAILS,
    params: ReceivedPath,
    handle: async ({ ctx, params: { id } }) =>
      new Download(`${id}.eml`, "application/octet-stream", await getReceivedSource(ctx, id)),
  }),
});
