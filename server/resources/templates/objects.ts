import { z } from "zod";

import type { ListedTemplate } from "#server/core/sending/templates/list-templates.ts";
import type { TemplateWithContent } from "#server/core/sending/templates/templates.ts";
import type { Example } from "#server/http/code-samples.ts";
import { apiTimestamp } from "#server/http/timestamps.ts";

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

/** The response to a change of a template. */
export const TemplateChanged = z.object({ object, id }).meta({ id: "TemplateChanged" });

export const TemplateDeleted = z
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

const shipped = {
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
    answer: { object: "list", has_more: false, data: [shipped] },
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
      ...shipped,
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
