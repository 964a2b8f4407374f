import { z } from "zod";

import { apiTimestamp } from "#server/api/timestamp.ts";
import type { ListedTemplate } from "#server/core/sending/templates/list-templates.ts";
import type { TemplateWithContent } from "#server/core/sending/templates/require-template.ts";

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

export const TemplateDeleted = z
  .object({ object, id, deleted: z.literal(true).describe("Always `true`") })
  .meta({ id: "TemplateDeleted" });

export const templateChanged = ({ id }: { id: string }) => ({ object: "template" as const, id });

export const templateListItem = (template: ListedTemplate): z.input<typeof TemplateListItem> => ({
  ...{ id: template.id, name: template.name, alias: template.alias },
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
  ...{ from: current.from, subject: current.subject, reply_to: current.replyTo },
  ...{ html: current.html, text: current.text },
  variables: current.variables.map(({ key, type, fallbackValue, createdAt, updatedAt }) => ({
    ...{ key, type, fallback_value: fallbackValue },
    created_at: apiTimestamp(createdAt),
    updated_at: apiTimestamp(updatedAt),
  })),
  has_unpublished_versions: template.publishedVersionId !== current.id,
  current_version_id: current.id,
});
