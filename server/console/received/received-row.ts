import { z } from "zod";

import { consoleTimestamp } from "#server/console/timestamp.ts";
import type { ListedReceived } from "#server/core/mail/received/list-received.ts";

export const NOT_FOUND = "Received email not found. It may have been deleted after its retention";
export const ReceivedPath = z.object({ id: z.uuid() });

export const ReceivedRow = z.object({
  id: z.string(),
  /** The From field, decoded for display; empty for none. */
  from: z.string(),
  subject: z.string(),
  received_for: z.array(z.string()),
  is_spam: z.boolean(),
  attachments: z.int(),
  created_at: z.string(),
});

export const ReceivedDetail = ReceivedRow.extend({
  to: z.array(z.string()),
  cc: z.array(z.string()),
  reply_to: z.array(z.string()),
  message_id: z.string().nullable(),
  /** Return path; empty for none. */
  sender: z.string(),
  spf: z.string().nullable(),
  dkim: z.string().nullable(),
  dmarc: z.string().nullable(),
  spam_score: z.number().nullable(),
  /** Octets. */
  size: z.int(),
  /** Why its content couldn't be parsed. */
  problem: z.string().nullable(),
  /** The sent email that it replies to. */
  replied_email_id: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  files: z.array(
    z.object({
      position: z.int().describe("Position in the message, used in the file's path"),
      filename: z.string().nullable(),
      content_type: z.string(),
      content_id: z.string().nullable(),
      size: z.int(),
    }),
  ),
});

export function receivedRow(email: ListedReceived): z.input<typeof ReceivedRow> {
  const { id, headerFrom: from, subject, receivedFor, isSpam, files, createdAt } = email;
  return {
    ...{ id, from, subject, received_for: receivedFor, is_spam: isSpam },
    attachments: files.length,
    created_at: consoleTimestamp(createdAt),
  };
}
