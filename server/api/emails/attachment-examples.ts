import type { Example } from "#server/http/code-samples.ts";

const attachment = {
  id: "7a1f3c55-2c0e-5b8e-9d0a-5f0f6a1f2e77",
  filename: "invoice.pdf",
  size: 48_213,
  content_type: "application/pdf",
  content_disposition: "attachment",
  download_url: "https://mail.example.com/downloads/kq3V0cYb",
  expires_at: "2026-03-02T10:30:00.000Z",
};

/** Samples for the attachments of a sent email. */
export const attachmentExamples = (emailId: string): Record<string, Example> => ({
  "GET /emails/{id}/attachments": {
    params: { id: emailId },
    answer: { object: "list", has_more: false, data: [attachment] },
    sdk: ["emails.attachments.list", { emailId }],
  },
  "GET /emails/{id}/attachments/{attachment_id}": {
    params: { id: emailId, attachment_id: attachment.id },
    answer: { object: "attachment", ...attachment },
    sdk: ["emails.attachments.get", { emailId, id: attachment.id }],
  },
});
