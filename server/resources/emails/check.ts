import { z } from "zod";

import { type EmailCheck, checkEmail } from "#server/core/mail/email-check/check-email.ts";
import { renderEmail } from "#server/core/sending/templates/render-emails.ts";
import type { Example } from "#server/http/code-samples.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

import { EmailFields } from "./fields.ts";

const AuthenticationObject = z.object({
  domain: z.string().describe("The domain of the From address"),
  spf: z
    .enum(["aligned", "not_aligned", "missing"])
    .describe("`not_aligned`: SPF passes, but for a domain that DMARC doesn't accept"),
  dkim: z.enum(["aligned", "missing"]).describe("Emails are signed by the From domain"),
  dmarc: z
    .enum(["none", "quarantine", "reject"])
    .nullable()
    .describe("The published policy; null without a DMARC record"),
});

const EmailCheckObject = z
  .object({
    object: z.literal("email_check").describe("Object type"),
    result: z
      .enum(["ok", "warnings", "errors"])
      .describe("`errors`: the email would not be sent, or not to everyone"),
    findings: z
      .array(
        z.object({
          level: z.enum(["error", "warning"]).describe("How serious it is"),
          code: z.string().describe("Stable name, such as `recipient_suppressed` or `http_link`"),
          message: z.string().describe("What is wrong and what to do"),
        }),
      )
      .describe("What was found, errors first"),
    recipients: z
      .array(
        z.object({
          address: z.string().describe("The recipient"),
          outcome: z
            .enum(["deliver", "suppressed", "bounce", "unknown"])
            .describe(
              "`unknown`: the mail servers can't be looked up, or another company of this server receives its mail",
            ),
          destination: z
            .enum(["mailbox", "group", "inbound", "external"])
            .describe("Whether the address is here or elsewhere"),
          mail_hosts: z.array(z.string()).describe("Mail servers of an external address"),
          reason: z.string().nullable().describe("Why it would not be delivered"),
        }),
      )
      .describe("Each recipient once"),
    authentication: AuthenticationObject.nullable().describe(
      "How receivers authenticate the email, by the DNS records at the last check; null if the domain isn't yours",
    ),
    size: z.number().int().describe("Size of the message in octets"),
    text: z.string().describe("The text version, as given or generated; at most 20,000 characters"),
    links: z
      .array(
        z.object({
          url: z.string().describe("The target"),
          text: z.string().describe("The text that readers see"),
        }),
      )
      .describe("Links of the HTML, at most 200"),
    images: z.number().int().describe("Number of images in the HTML"),
    image_details: z
      .object({
        embedded_bytes: z
          .number()
          .int()
          .describe("Size of the attachments with a `content_id` and of `data:` URLs, in octets"),
        remote: z.number().int().describe("Images on web servers. They aren't requested"),
        without_size: z.number().int().describe("Remote images without width or height"),
        without_alt: z.number().int().describe("Remote images without alt text"),
      })
      .describe("Size of the embedded images, and counts of the remote ones"),
    spam: z
      .object({
        score: z.number().describe("rspamd's score"),
        threshold: z.number().describe("From this score on, outgoing mail counts as spam"),
        rules: z.array(z.string()).describe("Rules against the message, strongest first"),
      })
      .nullable()
      .describe("Null if rspamd doesn't run"),
    wait_seconds: z
      .number()
      .int()
      .describe("How long the oldest recipient in this server's queue has been waiting"),
  })
  .meta({ id: "EmailCheck" });

export function emailCheckObject(found: EmailCheck): z.input<typeof EmailCheckObject> {
  const { findings, recipients, waitSeconds, imageFacts, ...rest } = found;
  return {
    object: "email_check",
    ...rest,
    findings: findings.toSorted((one, other) => one.level.localeCompare(other.level)),
    recipients: recipients.map(({ mailHosts, ...one }) => ({ ...one, mail_hosts: mailHosts })),
    image_details: {
      embedded_bytes: imageFacts.embeddedBytes,
      remote: imageFacts.remote,
      without_size: imageFacts.withoutSize,
      without_alt: imageFacts.withoutAlt,
    },
    wait_seconds: waitSeconds,
  };
}

const order = {
  from: "Northwind <hello@shop.example>",
  to: ["ben@example.net", "gone@example.net"],
  subject: "Your order 1042",
  html: '<p>Your order has shipped.</p><p><a href="http://shop.example/1042">Follow it</a></p>',
};

export const checkExamples: Record<string, Example> = {
  "POST /emails/check": {
    body: order,
    answer: {
      object: "email_check",
      result: "errors",
      findings: [
        {
          level: "error",
          code: "recipient_suppressed",
          message:
            "gone@example.net: The address is on the suppression list because an earlier email to it bounced",
        },
        {
          level: "warning",
          code: "http_link",
          message: "The link http://shop.example/1042 isn't encrypted. Use https",
        },
      ],
      recipients: [
        {
          address: "ben@example.net",
          outcome: "deliver",
          destination: "external",
          mail_hosts: ["mx.example.net"],
          reason: null,
        },
        {
          address: "gone@example.net",
          outcome: "suppressed",
          destination: "external",
          mail_hosts: ["mx.example.net"],
          reason: "The address is on the suppression list because an earlier email to it bounced",
        },
      ],
      authentication: {
        domain: "shop.example",
        spf: "aligned",
        dkim: "aligned",
        dmarc: "quarantine",
      },
      size: 1042,
      text: "Your order has shipped.\n\nFollow it http://shop.example/1042",
      links: [{ url: "http://shop.example/1042", text: "Follow it" }],
      images: 0,
      image_details: { embedded_bytes: 0, remote: 0, without_size: 0, without_alt: 0 },
      spam: { score: 0.4, threshold: 15, rules: [] },
      wait_seconds: 0,
    },
    sdk: ["post", "/emails/check", order],
  },
};

export const checkEmailEndpoint = defineEndpoint("POST", "/emails/check", {
  summary: "Check an email without sending it",
  description:
    "Takes the same body as `POST /emails` and returns what would happen, without sending or storing anything: for each recipient, authentication, content, spam score and the queue.",
  // It reveals what is on the suppression list, which sending keys can't read.
  privilege: "api_controls",
  body: EmailFields,
  bodyLimit: "sending",
  response: EmailCheckObject,
  refusals: ["missing_required_field", "invalid_attachment"],
  handle: async ({ ctx, key, body }) =>
    emailCheckObject(await checkEmail(ctx, { key, input: await renderEmail(ctx, body) })),
});
