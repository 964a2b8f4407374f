import { z } from "zod";

import { OptionalAddresses, Sender } from "#server/resources/emails/fields.ts";
import { apiTimestamp } from "#server/http/timestamps.ts";
import {
  createTemplate,
  deleteTemplate,
  duplicateTemplate,
  getTemplate,
  publishTemplate,
  type TemplateWithContent,
  updateTemplate,
} from "#server/core/sending/templates/templates.ts";
import {
  CONTENT_MAX,
  VALUE_MAX,
  VARIABLES_MAX,
} from "#server/core/sending/templates/template-content.ts";
import {
  type ListedTemplate,
  listTemplates,
} from "#server/core/sending/templates/list-templates.ts";
import { isOneLine } from "#server/core/shared/text.ts";
import { boundedList } from "#server/http/bounded.ts";
import type { Example } from "#server/http/code-samples.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { listObject, listOf, PageQuery } from "#server/http/lists.ts";
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

const object = z.literal("template").describe("Object type");

const id = z.uuid().describe("The template's ID; also the pagination cursor");

const listed = {
  id,
  name: z.string().describe("Name in the console"),
  status: z
    .enum(["draft", "published"])
    .describe("`draft` until the template is published for the first time"),
  alias: z.string().nullable().describe("Names the template in API calls, like its ID"),
  published_at: z.string().nullable().describe("When the version that emails use was published"),
  created_at: z.string().describe("When the template was created"),
  updated_at: z.string().describe("When the template was last changed"),
};

export const TemplateListItem = z.object(listed);

export const TemplateObject = z
  .object({
    object,
    ...listed,
    from: z.string().nullable().describe("Default sender"),
    subject: z.string().nullable().describe("Default subject"),
    reply_to: z.array(z.string()).nullable().describe("Default addresses for replies"),
    html: z.string().describe("HTML version"),
    text: z.string().nullable().describe("Plain-text version; null: generated from `html`"),
    variables: z
      .array(
        z.object({
          key: z.string().describe("Name"),
          type: z.enum(["string", "number"]).describe("What values must be"),
          fallback_value: z
            .union([z.string(), z.number()])
            .nullable()
            .describe("Used if an email provides no value"),
          created_at: z.string().describe("When the variable was defined"),
          updated_at: z.string().describe("When its type or fallback value last changed"),
        }),
      )
      .describe("The variables of subject, html and text"),
    has_unpublished_versions: z
      .boolean()
      .describe("Whether this content is newer than the published version"),
    current_version_id: z.uuid().describe("ID of this version of the content"),
  })
  .meta({ id: "Template" });

export const TemplatePath = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,100}$/)
    .describe("The template's ID or alias"),
});

export const NOT_FOUND = "Template not found";

/** The response to a change of a template. */
export const TemplateChanged = z.object({ object, id }).meta({ id: "TemplateChanged" });

const TemplateDeleted = z
  .object({ object, id, deleted: z.literal(true).describe("Always `true`") })
  .meta({ id: "TemplateDeleted" });

export const templateChanged = ({ id }: { id: string }) => ({ object: "template" as const, id });

export const templateListItem = (template: ListedTemplate): z.input<typeof TemplateListItem> => ({
  id: template.id,
  name: template.name,
  alias: template.alias,
  status: template.publishedVersionId === null ? "draft" : "published",
  published_at: template.publishedAt && apiTimestamp(template.publishedAt),
  created_at: apiTimestamp(template.createdAt),
  updated_at: apiTimestamp(template.updatedAt),
});

export const templateObject = ({
  template,
  current,
  publishedAt,
}: TemplateWithContent): z.input<typeof TemplateObject> => ({
  object: "template",
  ...templateListItem({ ...template, publishedAt }),
  from: current.from,
  subject: current.subject,
  reply_to: current.replyTo,
  html: current.html,
  text: current.text,
  variables: current.variables.map(({ key, type, fallbackValue, createdAt, updatedAt }) => ({
    key,
    type,
    fallback_value: fallbackValue,
    created_at: apiTimestamp(createdAt),
    updated_at: apiTimestamp(updatedAt),
  })),
  has_unpublished_versions: template.publishedVersionId !== current.id,
  current_version_id: current.id,
});

const TEMPLATE = "0198c0de-b182-73a5-90c9-d48572e19388";

const COPY = "0198c0de-c293-74b6-a1da-e59683f2a499";

const VERSION = "0198c0de-d3a4-75c7-b2eb-f6a794a3b5aa";

const AT = "2026-03-01 08:00:00.104532+00";

const HTML = "<p>Hi {{{CUSTOMER}}}, your order {{{ORDER}}} has shipped.</p>";

const SUBJECT = "Your order {{{ORDER}}}";

const templateExamplesListed = {
  id: TEMPLATE,
  name: "Order shipped",
  status: "published",
  alias: "order-shipped",
  published_at: AT,
  created_at: AT,
  updated_at: AT,
};

const atTemplate = { id: TEMPLATE };

const changed = { object: "template", id: TEMPLATE };

export const templateExamples: Record<string, Example> = {
  "GET /templates": {
    query: { limit: "20" },
    answer: { object: "list", has_more: false, data: [templateExamplesListed] },
    sdk: ["templates.list", { limit: 20 }],
  },
  "POST /templates": {
    body: {
      name: "Order shipped",
      alias: "order-shipped",
      subject: SUBJECT,
      html: HTML,
      variables: [
        { key: "CUSTOMER", type: "string", fallback_value: "there" },
        { key: "ORDER", type: "number" },
      ],
    },
    answer: changed,
    sdk: [
      "templates.create",
      {
        name: "Order shipped",
        alias: "order-shipped",
        subject: SUBJECT,
        html: HTML,
        variables: [
          { key: "CUSTOMER", type: "string", fallbackValue: "there" },
          { key: "ORDER", type: "number" },
        ],
      },
    ],
  },
  "GET /templates/{id}": {
    params: atTemplate,
    answer: {
      object: "template",
      ...templateExamplesListed,
      from: null,
      subject: SUBJECT,
      reply_to: null,
      html: HTML,
      text: null,
      variables: [
        {
          key: "CUSTOMER",
          type: "string",
          fallback_value: "there",
          created_at: AT,
          updated_at: AT,
        },
        { key: "ORDER", type: "number", fallback_value: null, created_at: AT, updated_at: AT },
      ],
      has_unpublished_versions: false,
      current_version_id: VERSION,
    },
    sdk: ["templates.get", TEMPLATE],
  },
  "PATCH /templates/{id}": {
    params: atTemplate,
    body: { subject: "Order {{{ORDER}}} is on its way" },
    answer: changed,
    sdk: ["templates.update", TEMPLATE, { subject: "Order {{{ORDER}}} is on its way" }],
  },
  "DELETE /templates/{id}": {
    params: atTemplate,
    answer: { ...changed, deleted: true },
    sdk: ["templates.remove", TEMPLATE],
  },
  "POST /templates/{id}/publish": {
    params: atTemplate,
    answer: changed,
    sdk: ["templates.publish", TEMPLATE],
  },
  "POST /templates/{id}/duplicate": {
    params: atTemplate,
    answer: { object: "template", id: COPY },
    sdk: ["templates.duplicate", TEMPLATE],
  },
};

/** The API reference's introduction to templates. Paragraphs are separated by empty lines. */
export const TEMPLATE_GUIDE = [
  'A template is stored content that is filled in for each email. Send it with `"template": { "id": "order-shipped", "variables": { "ORDER": 1042 } }` in place of `html` and `text`, in `POST /emails` and in `POST /emails/batch`. `id` is the template\'s ID or its alias.',
  "Write variables as `{{{NAME}}}` in subject, html and text, and list them in `variables` with a type and an optional fallback value. The names `FIRST_NAME`, `LAST_NAME`, `EMAIL`, `UNSUBSCRIBE_URL`, `RESEND_UNSUBSCRIBE_URL`, `contact` and `this` are reserved.",
  "Values are inserted as they are, also into HTML: escape what users have entered. An email without a value for a variable that has no fallback is rejected (422), as is one whose template isn't published.",
  "Changes are drafts: emails use the published version until you publish again. The content of an email is fixed when it is accepted, even if it is scheduled.",
].join("\n\n");

export const templatesApi = {
  list: defineEndpoint({
    method: "GET",
    path: "/templates",
    summary: "List templates",
    description: "Newest first, without their content.",
    permission: "full_access",
    admitsTestKeys: true,
    privilege: "api_controls",
    query: PageQuery,
    response: listOf(TemplateListItem),
    refusals: ["invalid"],
    handle: async ({ ctx, query }) => listObject(await listTemplates(ctx, query), templateListItem),
  }),

  create: defineEndpoint({
    method: "POST",
    path: "/templates",
    summary: "Create a template",
    description:
      "Creates a draft; publish it so that emails can use it. Variables are written as `{{{NAME}}}` in subject, html and text, and must be listed in `variables`. A company can have up to 300 templates.",
    permission: "full_access",
    privilege: "api_controls",
    body: TemplateToCreate,
    bodyLimit: "sending",
    response: TemplateChanged,
    refusals: ["not_allowed", "missing_required_field", "invalid"],
    handle: async ({ ctx, body }) => templateChanged(await createTemplate(ctx, body)),
  }),

  get: defineEndpoint({
    method: "GET",
    path: "/templates/{id}",
    summary: "Retrieve a template",
    description: "Returns the newest content, which may be an unpublished draft.",
    permission: "full_access",
    admitsTestKeys: true,
    privilege: "api_controls",
    params: TemplatePath,
    notFound: NOT_FOUND,
    response: TemplateObject,
    refusals: ["not_found"],
    handle: async ({ ctx, params }) => templateObject(await getTemplate(ctx, params.id)),
  }),

  update: defineEndpoint({
    method: "PATCH",
    path: "/templates/{id}",
    summary: "Update a template",
    description:
      "Absent fields keep their values; `variables` replaces the list. `name` and `alias` change at once. New content is a draft: emails use the published version until you publish again.",
    permission: "full_access",
    privilege: "api_controls",
    params: TemplatePath,
    notFound: NOT_FOUND,
    body: TemplateChanges,
    bodyLimit: "sending",
    response: TemplateChanged,
    refusals: ["not_found", "invalid"],
    handle: async ({ ctx, params: { id }, body }) =>
      templateChanged(await updateTemplate(ctx, id, body)),
  }),

  delete: defineEndpoint({
    method: "DELETE",
    path: "/templates/{id}",
    summary: "Delete a template",
    description: "Deletes all its versions. Accepted and scheduled emails keep their content.",
    permission: "full_access",
    privilege: "api_controls",
    params: TemplatePath,
    notFound: NOT_FOUND,
    response: TemplateDeleted,
    refusals: ["not_found"],
    handle: async ({ ctx, params: { id } }) => ({
      ...templateChanged(await deleteTemplate(ctx, id)),
      deleted: true as const,
    }),
  }),

  publish: defineEndpoint({
    method: "POST",
    path: "/templates/{id}/publish",
    summary: "Publish a template",
    description:
      "Emails accepted from now on use the newest content. The newest 20 versions are kept.",
    permission: "full_access",
    privilege: "api_controls",
    params: TemplatePath,
    notFound: NOT_FOUND,
    response: TemplateChanged,
    refusals: ["not_found"],
    handle: async ({ ctx, params: { id } }) => templateChanged(await publishTemplate(ctx, id)),
  }),

  duplicate: defineEndpoint({
    method: "POST",
    path: "/templates/{id}/duplicate",
    summary: "Duplicate a template",
    description:
      "Creates a draft with the newest content. It has no alias, and its name ends in ` (copy)`.",
    permission: "full_access",
    privilege: "api_controls",
    params: TemplatePath,
    notFound: NOT_FOUND,
    response: TemplateChanged,
    refusals: ["not_found", "not_allowed", "invalid"],
    handle: async ({ ctx, params: { id } }) => templateChanged(await duplicateTemplate(ctx, id)),
  }),
};
