import { z } from "zod";

import { OptionalAddresses, Sender } from "#server/api/emails/address-field.ts";
import { CONTENT_MAX, VALUE_MAX, VARIABLES_MAX } from "#server/core/sending/templates/limits.ts";
import { isOneLine } from "#server/core/shared/one-line.ts";
import { boundedList } from "#server/http/bounded.ts";
import { emptyIsNull } from "#server/http/text-fields.ts";

// Core validates names, aliases and variables.

const SUBJECT_MAX = 998;

const Content = z.string().max(CONTENT_MAX, { error: `must be at most ${CONTENT_MAX} characters` });

const Subject = z
  .string()
  .max(SUBJECT_MAX, { error: `must be at most ${SUBJECT_MAX} characters` })
  .refine((text) => isOneLine(text.replaceAll("\t", " ")), {
    error: "must be a single line without control characters",
  });

const Variable = z
  .object({
    key: z.string().describe("Name: 1 to 50 ASCII letters, digits or underscores"),
    type: z
      .enum(["string", "number"], { error: "must be string or number" })
      .describe("What values must be. Strings may be numbers"),
    fallback_value: z
      .union([z.string().max(VALUE_MAX), z.number()], { error: "must be a string or a number" })
      .nullish()
      .describe("Used if an email provides no value. Without one, emails must provide a value"),
  })
  .transform(({ key, type, fallback_value }) => ({
    ...{ key, type },
    fallbackValue: fallback_value ?? null,
  }));

/** Addresses as written, checked. */
const ReplyTo = z
  .union([z.string(), boundedList(z.string(), 50)])
  .nullish()
  .superRefine((value, context) => {
    const parsed = OptionalAddresses.safeParse(value);
    if (!parsed.success) for (const issue of parsed.error.issues) context.addIssue({ ...issue });
  })
  .transform((value) => {
    if (value === undefined) return undefined;
    const list = [value ?? []].flat().filter((address) => address.trim() !== "");
    return list.length === 0 ? null : list;
  });

const optional = {
  alias: emptyIsNull(z.string().nullish()).describe(
    "Names the template in API calls, like its ID: up to 100 letters, digits, dots, dashes or underscores",
  ),
  from: emptyIsNull(Sender.transform(({ written }) => written).nullish()).describe(
    "Default sender of the emails",
  ),
  subject: emptyIsNull(Subject.nullish()).describe("Default subject of the emails"),
  reply_to: ReplyTo.describe("Default addresses for replies, at most 50"),
  text: Content.nullish().describe(
    "Plain-text version. If absent, it is generated from `html`; an empty string sends no text version",
  ),
  variables: boundedList(Variable, VARIABLES_MAX)
    .nullish()
    .describe(
      "The variables of subject, html and text, written as `{{{NAME}}}`. At most 50, used at most 5,000 times in total",
    ),
};

const name = z.string().describe("Name in the console, up to 100 characters");
const html = Content.describe("HTML version, up to 500,000 characters");

export const TemplateToCreate = z
  .object({ name, html, ...optional })
  .transform(({ name, html, ...rest }) => ({
    ...{ name, html },
    alias: rest.alias ?? null,
    from: rest.from ?? null,
    subject: rest.subject ?? null,
    replyTo: rest.reply_to ?? null,
    text: rest.text ?? null,
    variables: rest.variables ?? [],
  }))
  .meta({ id: "TemplateToCreate" });

export const TemplateChanges = z
  .object({
    name: name.nullish().describe("New name, up to 100 characters"),
    html: html.nullish().describe("New HTML version, up to 500,000 characters"),
    ...optional,
  })
  .transform(({ name, html, reply_to, variables, ...rest }) => ({
    ...rest,
    name: name ?? undefined,
    html: html ?? undefined,
    replyTo: reply_to,
    variables: variables ?? undefined,
  }))
  .meta({ id: "TemplateChanges" });
