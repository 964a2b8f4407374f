import { z } from "zod";

import type { EmailInput } from "#server/core/sending/emails/email-input.ts";
import type { TemplatedEmail } from "#server/core/sending/templates/render-emails.ts";
import { boundedList, boundedRecord } from "#server/http/bounded.ts";
import { issueAs } from "#server/http/issue-reason.ts";
import { emptyIsNull } from "#server/http/text-fields.ts";

import { Addresses, ADDRESSES_MAX, OptionalAddresses, Sender } from "./address-field.ts";
import { ATTACHMENTS_BYTES_MAX } from "./attachment-content.ts";
import { Attachments } from "./attachment-field.ts";
import { hasValue } from "./has-value.ts";
import { OptionalScheduledAt } from "./scheduled-at-field.ts";
import { hasTemplate, TemplateCall } from "./template-field.ts";

const SUBJECT_MAX = 998;
const BODY_MAX = 2_000_000;
const HEADERS_MAX = 30;
const HEADER_VALUE_MAX = 998;
const TAGS_MAX = 20;

/** Line breaks and control characters that a header value cannot contain. Tabs are allowed. */
const NOT_IN_A_LINE = /[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/;
const isOneLine = (text: string) => !NOT_IN_A_LINE.test(text);
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

const Headers = boundedRecord(HEADERS_MAX, headerProblem).superRefine((headers, context) => {
  const names = Object.keys(headers);
  const seen = new Set<string>();
  const twice = names.find((name) => seen.size === seen.add(name.toLowerCase()).size);
  if (twice) context.addIssue(`${twice} must not appear twice: header names are case-insensitive`);
});

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

/** A field that can't be used. Rejected, because ignoring it would send the wrong content. */
const unusable = (problem: string) =>
  z
    .unknown()
    .refine((value) => !hasValue(value), { error: problem, params: { first: true } })
    .optional();

const fields = {
  from: Sender.describe(
    "Sender: an address in one of your verified domains, with or without a display name",
  ),
  to: Addresses.describe("Recipients: one address or a list of up to 50"),
  subject: Subject.describe("Subject: one line of at most 998 characters"),
  html: Body.nullish().describe("HTML version. `html` or `text` is required"),
  text: Body.nullish().describe(
    "Plain-text version. If absent, it is generated from `html`; an empty string sends no text version",
  ),
  cc: OptionalAddresses.describe("Recipients of copies"),
  bcc: OptionalAddresses.describe("Recipients of blind copies, hidden from the other recipients"),
  reply_to: OptionalAddresses.describe("Addresses for replies, at most 50"),
  replyTo: OptionalAddresses.describe("Alias of `reply_to`"),
  headers: Headers.nullish().describe(
    "Custom headers: `X-` names, `List-Unsubscribe`, `List-Unsubscribe-Post`, `In-Reply-To` and `References`. `List-Unsubscribe: auto` adds a one-click unsubscribe link of this server to an email with exactly one recipient; a recipient who uses it is suppressed. `X-Posthouse-` names are reserved and removed",
  ),
  tags: Tags.or(z.literal(""))
    .nullish()
    .describe("Up to 20 name-value pairs, included in email objects and webhook events"),
  attachments: Attachments.or(z.literal(""))
    .nullish()
    .describe("Up to 20 files, at most 20 MB in total after decoding"),
  scheduled_at: OptionalScheduledAt.describe(
    "When to send: ISO 8601 with a time zone, or a phrase such as `in 2 hours`. At most 30 days ahead",
  ),
  scheduledAt: OptionalScheduledAt.describe("Alias of `scheduled_at`"),
  topic_id: unusable("is not supported").describe("Not supported: causes an error if present"),
};

const notWithTemplate = unusable("can't be combined with template");

/** An email with a template: the template can provide sender and subject, and provides the content. */
const templatedFields = {
  ...fields,
  from: emptyIsNull(Sender.nullish()),
  subject: emptyIsNull(Subject.nullish()),
  html: notWithTemplate,
  text: notWithTemplate,
  template: TemplateCall,
};

/** How both kinds are documented. */
const documented = z.toJSONSchema(
  z.looseObject({
    ...fields,
    from: fields.from.optional(),
    subject: fields.subject.optional(),
    template: TemplateCall.optional(),
  }),
  { io: "input", unrepresentable: "any" },
);
delete documented.$schema;

const PlainEmail = z
  .looseObject(fields)
  .superRefine((body, context) => {
    if (findIssues(body, context)) return;
    if (!body.html && !body.text)
      context.addIssue({ code: "custom", message: "Provide html or text" });
  })
  .transform((body): EmailInput => ({
    ...readShared(body),
    from: body.from.written,
    fromAddress: body.from.parsed,
    subject: body.subject,
    html: body.html || null,
    text: body.text ?? null,
  }));

const TemplatedEmailFields = z
  .looseObject(templatedFields)
  .superRefine((body, context) => void findIssues(body, context))
  .transform((body): TemplatedEmail => ({
    ...readShared(body),
    sender: body.from ? { from: body.from.written, fromAddress: body.from.parsed } : null,
    subject: body.subject ?? null,
    template: body.template,
  }));

/** The body of a send request, parsed into core's input. An email with a template gets its content when it is accepted. */
export const EmailFields = z
  .unknown()
  .transform((body, context): EmailInput | TemplatedEmail => {
    const schema = hasTemplate(body) ? TemplatedEmailFields : PlainEmail;
    const result = schema.safeParse(body, { reportInput: true });
    if (result.success) return result.data;
    context.issues.push(...(result.error.issues as typeof context.issues));
    return z.NEVER;
  })
  .meta({ ...documented, id: "EmailToSend" });

const readShared = (body: SharedFields) => ({
  to: body.to,
  cc: body.cc,
  bcc: body.bcc,
  replyTo: body.reply_to.length > 0 ? body.reply_to : body.replyTo,
  headers: removeReservedHeaders(body.headers ?? {}),
  tags: body.tags || [],
  scheduledAt: body.scheduled_at ?? body.scheduledAt,
  attachments: body.attachments || [],
});

/** The appliance trusts X-Posthouse- headers, because its spam filter and groups write their results there. */
const removeReservedHeaders = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^x-posthouse-/i.test(name)));

const totalSize = (files: { content: Buffer }[]) =>
  files.reduce((sum, { content }) => sum + content.length, 0);

type SharedFields = Omit<
  z.output<z.ZodObject<typeof fields>>,
  "from" | "subject" | "html" | "text" | "topic_id"
>;

/** Checks the rules that concern several fields. */
function findIssues(body: SharedFields, context: z.RefinementCtx): boolean {
  const problem = findCrossFieldProblem(body);
  if (problem) context.addIssue({ code: "custom", ...problem });
  else if (totalSize(body.attachments || []) > ATTACHMENTS_BYTES_MAX)
    context.addIssue(issueAs("invalid_attachment", "Attachments exceed 20 MB"));
  else return false;
  return true;
}

function findCrossFieldProblem(body: SharedFields): { path: string[]; message: string } | null {
  const recipients = body.to.length + body.cc.length + body.bcc.length;
  if (body.to.length === 0) return { path: ["to"], message: "must have at least one recipient" };
  if (recipients > ADDRESSES_MAX)
    return {
      path: [],
      message: `to, cc and bcc must have at most ${ADDRESSES_MAX} addresses in total`,
    };
  return null;
}
