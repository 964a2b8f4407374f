import type { EmailDetail } from "./queries.ts";

type Content = NonNullable<EmailDetail["content"]>;

/** The `POST /emails` body that sends this email again, with placeholders for the contents of attachments. */
export function requestBody(email: EmailDetail, content: Content): Record<string, unknown> {
  const { from, to, cc, bcc, reply_to, subject, tags, attachments } = email;
  const { html, text, headers } = content;
  const files = attachments.map((file) => ({
    filename: file.filename ?? `attachment-${file.position + 1}`,
    content: `<base64 of ${file.filename ?? "the file"}>`,
    ...(file.content_type !== null && { content_type: file.content_type }),
    ...(file.content_id !== null && { content_id: file.content_id }),
  }));
  return {
    from,
    to,
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
    ...(reply_to.length > 0 && { reply_to }),
    subject,
    ...(html !== null && { html }),
    ...(text !== null && { text }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(tags.length > 0 && { tags }),
    ...(files.length > 0 && { attachments: files }),
  };
}
