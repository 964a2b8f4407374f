import { z } from "zod";

import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import { boundedList, boundedRecord } from "#server/http/bounded.ts";
import { issueAs } from "#server/http/issue-reason.ts";

import { Addresses, ADDRESSES_MAX, OptionalAddresses, Sender } from "./address-field.ts";
import { ATTACHMENTS_BYTES_MAX } from "./attachment-content.ts";
import { Attachments } from "./attachment-field.ts";
import { isGiven } from "./is-given.ts";
import { OptionalScheduledAt } from "./scheduled-at-field.ts";

const SUBJECT_MAX = 998;
const BODY_MAX = 2_000_000;
const HEADERS_MAX = 30;
const HEADER_VALUE_MAX = 998;
const TAGS_MAX = 20;

/** What could end a header line, and what no header line can carry; a tab may stand. */
const NOT_IN_A_LINE = /[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/;
const isOneLine = (text: string) => !NOT_IN_A_LINE.test(text) && text.isWellFormed();
const HEADER_NAME =
  /^(x-[a-z0-9-]{1,60}|list-unsubscribe|list-unsubscribe-post|in-reply-to|references)$/i;

const Subject = z
  .string()
  .max(SUBJECT_MAX, { error: `must be at most ${SUBJECT_MAX} characters` })
  .refine(isOneLine, {
    error: "must be a single line without control characters",
  })
  .refine((text) => text.trim() !== "", { error: "must not be empty" });

const Body = z.string().max(BODY_MAX, { error: `must be at most ${BODY_MAX} characters` });

const Headers = boundedRecord(HEADERS_MAX, headerProblem);

function headerProblem(name: string, value: unknown): string | null {
  if (!HEADER_NAME.test(name))
    return `${JSON.stringify(name.slice(0, 80))} is not allowed: use X- headers, List-Unsubscribe, List-Unsubscribe-Post, In-Reply-To or References`;
  if (typeof value !== "string") return `${name} must be a string`;
  if (value.length > HEADER_VALUE_MAX)
    return `${name} must be at most ${HEADER_VALUE_MAX} characters`;
  if (!isOneLine(value)) return `${name} must be a single line without control characters`;
  return null;
}

const tagText = z.string().regex(/^[A-Za-z0-9_-]{1,256}$/, {
  error: "must be 1 to 256 ASCII letters, digits, underscores or dashes",
});
const Tags = boundedList(
  z.object({
    name: tagText.describe("1 to 256 ASCII letters, digits, underscores or dashes"),
    value: tagText.describe("1 to 256 ASCII letters, digits, underscores or dashes"),
  }),
  TAGS_MAX,
);

/** A field of similar services. Rejected, because ignoring it would send the wrong content. */
const unsupported = (instead: string) =>
  z
    .unknown()
    .refine((value) => !isGiven(value), {
      error: `is not supported${instead}`,
      params: { first: true },
    })
    .optional()
    .describe("Refused: not supported");

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
  replyTo: OptionalAddresses.describe("Other spelling of reply_to"),
  headers: Headers.nullish().describe(
    "Header fields: X- names, List-Unsubscribe, List-Unsubscribe-Post, In-Reply-To, References. X-Posthouse- names are reserved and removed",
  ),
  tags: Tags.or(z.literal(""))
    .nullish()
    .describe("Up to 20 name and value pairs that come back in reads and webhooks"),
  attachments: Attachments.or(z.literal(""))
    .nullish()
    .describe("Up to 20 files, 20 MB together once decoded"),
  scheduled_at: OptionalScheduledAt.describe(
    "When it goes out: ISO 8601 with time zone, or like `in 2 hours`; at most 30 days ahead. Also scheduledAt",
  ),
  scheduledAt: OptionalScheduledAt.describe("Other spelling of scheduled_at"),
  template: unsupported(". Render it yourself and send html or text"),
  topic_id: unsupported(""),
};

/** The body of a send, as a caller may write it; read into what core works with. */
export const EmailFields = z
  .looseObject(fields)
  .superRefine((body, context) => {
    const problem = problemAcross(body);
    if (problem) context.addIssue({ code: "custom", ...problem });
    else if (sizeOf(body.attachments || []) > ATTACHMENTS_BYTES_MAX)
      context.addIssue(issueAs("invalid_attachment", "Attachments exceed 20 MB"));
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
    headers: withoutOurs(body.headers ?? {}),
    tags: body.tags || [],
    scheduledAt: body.scheduled_at ?? body.scheduledAt,
    attachments: body.attachments || [],
  }))
  .meta({ id: "EmailToSend" });

/** Removed because the appliance trusts these fields: its spam filter and groups write their results there. */
const withoutOurs = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^x-posthouse-/i.test(name)));

const sizeOf = (files: { content: Buffer }[]) =>
  files.reduce((sum, { content }) => sum + content.length, 0);

type Body = z.output<z.ZodObject<typeof fields>> & Record<string, unknown>;

/** Rules that concern several fields. */
function problemAcross(body: Body): { path: string[]; message: string } | null {
  const recipients = body.to.length + body.cc.length + body.bcc.length;
  if (body.to.length === 0) return { path: ["to"], message: "must name at least one recipient" };
  if (recipients > ADDRESSES_MAX)
    return { path: [], message: `to, cc and bcc together take at most ${ADDRESSES_MAX} addresses` };
  if (!body.html && !body.text)
    return { path: [], message: "Give html or text: an email needs a body" };
  return null;
}
