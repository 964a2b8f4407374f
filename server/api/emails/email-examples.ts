import type { Example } from "#server/http/code-samples.ts";

const EMAIL = "0198c0de-4a1b-7c3e-9f52-6d1e0b7a2c11";
const list = (...data: object[]) => ({ object: "list", has_more: false, data });
const FROM = "Northwind <hello@shop.example>";

const order = {
  ...{ from: FROM, to: ["ben@example.net", "gone@example.net"], subject: "Your order 1042" },
  html: '<p>Your order has shipped.</p><p><a href="http://shop.example/1042">Follow it</a></p>',
};

/** Sample requests and responses of checks and receipts. */
export const emailExamples: Record<string, Example> = {
  "POST /emails/check": {
    body: order,
    answer: {
      ...{ object: "email_check", result: "errors" },
      findings: [
        {
          ...{ level: "error", code: "recipient_suppressed" },
          message:
            "gone@example.net: The address is on the suppression list because an earlier email to it bounced",
        },
        {
          ...{ level: "warning", code: "http_link" },
          message: "The link http://shop.example/1042 isn't encrypted. Use https",
        },
      ],
      recipients: [
        {
          ...{ address: "ben@example.net", outcome: "deliver", destination: "external" },
          ...{ mail_hosts: ["mx.example.net"], reason: null },
        },
        {
          ...{ address: "gone@example.net", outcome: "suppressed", destination: "external" },
          mail_hosts: ["mx.example.net"],
          reason: "The address is on the suppression list because an earlier email to it bounced",
        },
      ],
      authentication: {
        ...{ domain: "shop.example", spf: "aligned", dkim: "aligned", dmarc: "quarantine" },
      },
      size: 1042,
      text: "Your order has shipped.\n\nFollow it http://shop.example/1042",
      links: [{ url: "http://shop.example/1042", text: "Follow it" }],
      images: 0,
      image_details: { embedded_bytes: 0, remote: 0, without_size: 0, without_alt: 0 },
      ...{ spam: { score: 0.4, threshold: 15, rules: [] }, wait_seconds: 0 },
    },
    sdk: ["post", "/emails/check", order],
  },
  "GET /emails/{id}/receipts": {
    params: { id: EMAIL },
    answer: list({
      ...{ object: "receipt", id: "51709", issuer: "https://mail.example.com" },
      ...{ email_id: EMAIL, message_id: `<${EMAIL}@shop.example>`, from: FROM },
      message_sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      recipient: "ben@example.net",
      ...{ sent_at: "2026-03-02T09:30:00.412Z", delivered_at: "2026-03-02T09:30:01.007Z" },
      server: { name: "mx.example.net", address: "203.0.113.5" },
      tls: { version: "TLSv1.3", cipher: "TLS_AES_256_GCM_SHA384" },
      ...{ status: "2.0.0", reply: "250 2.0.0 Ok: queued as 4ZxQ1k" },
      signature: "eyJhbGci…",
    }),
    sdk: ["get", `/emails/${EMAIL}/receipts`],
  },
};
