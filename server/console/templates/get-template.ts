import { z } from "zod";

import {
  NOT_FOUND,
  templateObject,
  TemplateObject,
  TemplatePath,
} from "#server/api/templates/template-object.ts";
import { listVersions } from "#server/core/sending/templates/list-templates.ts";
import { getTemplate as get } from "#server/core/sending/templates/require-template.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";

const Version = z.object({
  number: z.int(),
  subject: z.string().nullable(),
  html: z.string(),
  text: z.string().nullable(),
  variables: z.array(
    z.object({
      key: z.string(),
      type: z.enum(["string", "number"]),
      fallback_value: z.union([z.string(), z.number()]).nullable(),
    }),
  ),
  updated_at: z.string(),
  published_at: z.string().nullable().describe("Null for a draft"),
  is_published: z.boolean().describe("Whether emails use it"),
});

export const getTemplate = defineEndpoint({
  method: "GET",
  path: "/console/api/templates/{id}",
  summary: "Retrieve a template with its versions, newest first",
  permission: "console",
  privilege: "api_controls",
  params: TemplatePath,
  notFound: NOT_FOUND,
  response: TemplateObject.extend({ versions: z.array(Version) }),
  refusals: ["not_found"],
  async handle({ ctx, params: { id } }) {
    const template = await get(ctx, id);
    const versions = await listVersions(ctx, template.template.id);
    return {
      ...templateObject(template),
      versions: versions.map(
        ({ number, subject, html, text, variables, updatedAt, ...version }) => ({
          ...{ number, subject, html, text, updated_at: updatedAt },
          variables: variables.map(({ key, type, fallbackValue }) => ({
            ...{ key, type, fallback_value: fallbackValue },
          })),
          ...{ published_at: version.publishedAt, is_published: version.isPublished },
        }),
      ),
    };
  },
});
