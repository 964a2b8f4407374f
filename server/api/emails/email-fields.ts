import { z } from "zod";

import type { EmailInput } from "#server/core/emails/email-input.ts";

import { Addresses, OptionalAddresses, Sender } from "./address-field.ts";

const RECIPIENTS_MAX = 50;
const REPLY_TO_MAX = 50;
const SUBJECT_MAX = 998;
const BODY_MAX = 2_000_000;
const HEADERS_MAX = 30;
const HEADER_VALUE_MAX = 998;
const TAGS_MAX = 20;

/** Anything that could end a header line. */
const LINE_BREAK = /[\r\n\u0085\u2028\u2029]/;
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const HEADER_NAME =
  /^(x-[a-z0-9-]{1,60}|list-unsubscribe|list-unsubscribe-post|in-reply-to|references)$/i;

const Subject = z
  .string()
  .min(1, { error: "must not be empty" })
  .max(SUBJECT_MAX, { error: `must be at most ${SUBJECT_MAX} characters` })
  .refine((text) => !LINE_BREAK.test(text) && !CONTROL.test(text), {
    error: "must be a single line without control characters",
  })
  .refine((text) => text.trim() !== "", { error: "must not be empty" });

const Body = z.string().max(BODY_MAX, { error: `must be at most ${BODY_MAX} characters` });

const Headers = z.record(z.string(), z.unknown()).transform((headers, context) => {
  const entries = Object.entries(headers);
  const problem = entries.map(([name, value]) => headerProblem(name, value)).find(Boolean);
  if (entries.length > HEADERS_MAX) context.addIssue(`must have at most ${HEADERS_MAX} entries`);
  else if (problem) context.addIssue(problem);
  return headers as Record<string, string>;
});

function headerProblem(name: string, value: unknown): string | null {
  if (!HEADER_NAME.test(name))
    return `${JSON.stringify(name.slice(0, 80))} is not allowed: use X- headers, List-Unsubscribe, List-Unsubscribe-Post, In-Reply-To or References`;
  if (typeof value !== "string") return `${name} must be a string`;
  if (value.length > HEADER_VALUE_MAX)
    return `${name} must be at most ${HEADER_VALUE_MAX} characters`;
  if (LINE_BREAK.test(value) || CONTROL.test(value))
    return `${name} must be a single line without control characters`;
  return null;
}

const tagText = z.string().regex(/^[A-Za-z0-9_-]{1,256}$/, {
  error: "must be 1 to 256 ASCII letters, digits, underscores or dashes",
});
const Tags = z
  .array(z.object({ name: tagText, value: tagText }))
  .max(TAGS_MAX, { error: `must have at most ${TAGS_MAX} entries` });

/** `[]` stands for no headers: PHP writes an empty object so. */
const noHeaders = z.array(z.never()).transform((): Record<string, string> => ({}));

const fields = {
  from: Sender.describe("One address of a verified domain, with or without a display name"),
  to: Addresses.describe("1 to 50 recipients, one address each"),
  subject: Subject.describe("One line, at most 998 characters"),
  html: Body.nullish().describe("HTML part. html or text is required"),
  text: Body.nullish().describe(
    "Text part. Left out, it is made from html; an empty string sends none",
  ),
  cc: OptionalAddresses.describe("Further recipients that everybody sees"),
  bcc: OptionalAddresses.describe("Further recipients that nobody sees"),
  reply_to: OptionalAddresses.describe("Where answers go, at most 50 addresses. Also replyTo"),
  replyTo: OptionalAddresses,
  headers: z
    .union([Headers, noHeaders])
    .nullish()
    .describe(
      "Header fields: X- names, List-Unsubscribe, List-Unsubscribe-Post, In-Reply-To, References",
    ),
  tags: Tags.nullish().describe(
    "Up to 20 name and value pairs that come back in reads and webhooks",
  ),
};

const unsupported = ["template", "topic_id"] as const;

const isGiven = (value: unknown) =>
  value !== undefined &&
  value !== null &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0);

/** The body of a send, as a caller may write it; read into what core works with. */
export const EmailFields = z
  .looseObject(fields)
  .superRefine((body, context) => {
    const problem = problemAcross(body);
    if (problem) context.addIssue({ code: "custom", ...problem });
  })
  .transform((body): EmailInput => ({
    from: body.from.written,
    fromAddress: body.from.parsed,
    to: body.to,
    cc: body.cc,
    bcc: body.bcc,
    replyTo: body.reply_to.length > 0 ? body.reply_to : body.replyTo,
    subject: body.subject,
    html: body.html || null,
    text: body.text ?? null,
    headers: body.headers ?? {},
    tags: body.tags ?? [],
  }));

type Body = z.output<z.ZodObject<typeof fields>> & Record<string, unknown>;

/** Rules that concern several fields. */
function problemAcross(body: Body): { path: string[]; message: string } | null {
  const recipients = body.to.length + body.cc.length + body.bcc.length;
  if (body.to.length === 0) return { path: ["to"], message: "must name at least one recipient" };
  if (recipients > RECIPIENTS_MAX)
    return {
      path: ["to"],
      message: `to, cc and bcc together take at most ${RECIPIENTS_MAX} addresses`,
    };
  if (Math.max(body.reply_to.length, body.replyTo.length) > REPLY_TO_MAX)
    return { path: ["reply_to"], message: `takes at most ${REPLY_TO_MAX} addresses` };
  if (!body.html && !body.text)
    return { path: [], message: "Give html or text: an email needs a body" };
  const refused = unsupported.find((name) => isGiven(body[name]));
  if (refused) return { path: [refused], message: "is not supported" };
  return null;
}
