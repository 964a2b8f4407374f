import type { Example } from "#server/http/code-samples.ts";

const RECEIVED = "0198c0e1-1a2b-7c3d-8e4f-5a6b7c8d9e0f";
const EXPIRES_AT = "2026-03-02T11:02:00.000Z";

const summary = {
  id: "4b0f2f0e-8c55-5d0a-b1f5-0e9a4f7c1d22",
  filename: "photo.jpg",
  size: 182_044,
  content_type: "image/jpeg",
};

const received = {
  id: RECEIVED,
  to: ["support@shop.example"],
  from: "Ben <ben@example.net>",
  created_at: "2026-03-02 10:02:00.201177+00",
  subject: "Re: Your order 1042",
  ...{ bcc: null, cc: null, reply_to: null },
  received_for: ["support@shop.example"],
  message_id: "<CA+8kZ1@mail.example.net>",
  attachments: [{ ...summary, content_id: null, content_disposition: "attachment" }],
  authentication: { spf: "pass", dkim: "pass", dmarc: "pass" },
  spam: { is_spam: false, score: -0.4 },
  replied_email_id: "0198c0de-4a1b-7c3e-9f52-6d1e0b7a2c11",
};

const attachment = {
  ...summary,
  content_disposition: "attachment",
  download_url: "https://mail.example.com/downloads/pN5wQ2aX",
  expires_at: EXPIRES_AT,
};

const list = (data: object) => ({ object: "list", has_more: false, data: [data] });

/** Samples for received emails. */
export const receivedExamples: Record<string, Example> = {
  "GET /emails/receiving": {
    query: { limit: "20" },
    answer: list(received),
    sdk: ["emails.receiving.list", { limit: 20 }],
  },
  "GET /emails/receiving/{id}": {
    params: { id: RECEIVED },
    answer: {
      object: "email",
      ...received,
      html: null,
      text: "The parcel was damaged, see the photo.\n",
      headers: { from: "Ben <ben@example.net>", subject: "Re: Your order 1042" },
      raw: { download_url: "https://mail.example.com/downloads/hG7sK4bD", expires_at: EXPIRES_AT },
    },
    sdk: ["emails.receiving.get", RECEIVED],
  },
  "GET /emails/receiving/{id}/attachments": {
    params: { id: RECEIVED },
    answer: list(attachment),
    sdk: ["emails.receiving.attachments.list", { emailId: RECEIVED }],
  },
  "GET /emails/receiving/{id}/attachments/{attachment_id}": {
    params: { id: RECEIVED, attachment_id: summary.id },
    answer: { object: "attachment", ...attachment },
    sdk: ["emails.receiving.attachments.get", { emailId: RECEIVED, id: summary.id }],
  },
};
