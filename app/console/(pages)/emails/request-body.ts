import type { EmailDetail } from "./queries.ts";

type Content = NonNullable<EmailDetail["content"]>;

/** The `POST /emails` body that sends this email again, with placeholders for the contents of attachments. */
export function requestBody(email: EmailDetail, content: Content): Record<string, unknown> {
  const { from, to, cc, bcc, replyTo, subject, tags, attachments } = email;
  const { html, text, headers } = content;
  const files = attachments.map((file) => ({
    filename: file.filename ?? `attachment-${file.position + 1}`,
    content: `<base64 of ${file.filename ?? "the file"}>`,
    ...(file.contentType !== null && { contentType: file.contentType }),
    ...(file.contentId !== null && { contentId: file.contentId }),
  }));
  return {
    from,
    to,
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
    ...(replyTo.length > 0 && { replyTo }),
    subject,
    ...(html !== null && { html }),
    ...(text !== null && { text }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(tags.length > 0 && { tags }),
    ...(files.length > 0 && { attachments: files }),
  };
}
