import { z } from "zod";

import { OptionalAddresses, Sender } from "#server/resources/emails/fields.ts";
import {
  createTemplate,
  duplicateTemplate,
  deleteTemplate,
  publishTemplate,
  getTemplate,
  updateTemplate,
} from "#server/core/sending/templates/templates.ts";
import {
  CONTENT_MAX,
  VALUE_MAX,
  VARIABLES_MAX,
} from "#server/core/sending/templates/template-content.ts";
import { isOneLine } from "#server/core/shared/text.ts";
import { listTemplates } from "#server/core/sending/templates/list-templates.ts";
import { boundedList, emptyIsNull } from "#server/http/text-fields.ts";
import { defineEndpoint, pathOf } from "#server/http/endpoint.ts";
import { listObject, listResponse, PageQuery } from "#server/http/lists.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

import {
  TemplateChanged,
  TemplateDeleted,
  TemplateListItem,
  TemplateObject,
  templateChanged,
  templateListItem,
  templateObject,
} from "./objects.ts";

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
    key,
    type,
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
    name,
    html,
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

export const TemplatePath = pathOf("Template not found", {
  id: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,100}$/)
    .describe("The template's ID or alias"),
});

export const templatesApi = {
  list: defineEndpoint("GET", "/templates", {
    summary: "List templates",
    description: "Newest first, without their content.",
    admitsTestKeys: true,
    privilege: READ_EMAILS,
    query: PageQuery,
    response: listResponse(TemplateListItem),
    handle: async ({ ctx, query }) => listObject(await listTemplates(ctx, query), templateListItem),
  }),

  create: defineEndpoint("POST", "/templates", {
    summary: "Create a template",
    description:
      "Creates a draft; publish it so that emails can use it. Variables are written as `{{{NAME}}}` in subject, html and text, and must be listed in `variables`. A company can have up to 300 templates.",
    privilege: "api_controls",
    body: TemplateToCreate,
    bodyLimit: "sending",
    response: TemplateChanged,
    refusals: ["not_allowed", "missing_required_field"],
    handle: async ({ ctx, body }) => templateChanged(await createTemplate(ctx, body)),
  }),

  get: defineEndpoint("GET", "/templates/{id}", {
    summary: "Retrieve a template",
    description: "Returns the newest content, which may be an unpublished draft.",
    admitsTestKeys: true,
    privilege: READ_EMAILS,
    params: TemplatePath,
    response: TemplateObject,
    handle: async ({ ctx, params }) => templateObject(await getTemplate(ctx, params.id)),
  }),

  update: defineEndpoint("PATCH", "/templates/{id}", {
    summary: "Update a template",
    description:
      "Absent fields keep their values; `variables` replaces the list. `name` and `alias` change at once. New content is a draft: emails use the published version until you publish again.",
    privilege: "api_controls",
    params: TemplatePath,
    body: TemplateChanges,
    bodyLimit: "sending",
    response: TemplateChanged,
    handle: async ({ ctx, params: { id }, body }) =>
      templateChanged(await updateTemplate(ctx, id, body)),
  }),

  delete: defineEndpoint("DELETE", "/templates/{id}", {
    summary: "Delete a template",
    description: "Deletes all its versions. Accepted and scheduled emails keep their content.",
    privilege: "api_controls",
    params: TemplatePath,
    response: TemplateDeleted,
    handle: async ({ ctx, params: { id } }) => ({
      ...templateChanged(await deleteTemplate(ctx, id)),
      deleted: true as const,
    }),
  }),

  publish: defineEndpoint("POST", "/templates/{id}/publish", {
    summary: "Publish a template",
    description:
      "Emails accepted from now on use the newest content. The newest 20 versions are kept.",
    privilege: "api_controls",
    params: TemplatePath,
    response: TemplateChanged,
    handle: async ({ ctx, params: { id } }) => templateChanged(await publishTemplate(ctx, id)),
  }),

  duplicate: defineEndpoint("POST", "/templates/{id}/duplicate", {
    summary: "Duplicate a template",
    description:
      "Creates a draft with the newest content. It has no alias, and its name ends in ` (copy)`.",
    privilege: "api_controls",
    params: TemplatePath,
    response: TemplateChanged,
    refusals: ["not_allowed", "invalid"],
    handle: async ({ ctx, params: { id } }) => templateChanged(await duplicateTemplate(ctx, id)),
  }),
};
