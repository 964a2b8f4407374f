import type { TemplateVariable } from "#drizzle/schema/index.ts";
import { consoleTimestamp } from "#server/http/timestamps.ts";
import { z } from "zod";

import { countedList, PageQuery, sortQuery } from "#server/http/lists.ts";
import {
  createTemplate,
  deleteTemplate,
  duplicateTemplate,
  getTemplate,
  publishTemplate,
  restoreVersion,
  updateTemplate,
} from "#server/core/sending/templates/templates.ts";
import {
  type ListedTemplate,
  listTemplates,
  listVersions,
} from "#server/core/sending/templates/list-templates.ts";
import { change, pageEndpoints, read } from "#server/http/endpoint.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";

import { TemplateChanges, TemplatePath, TemplateToCreate } from "./api.ts";

export const templatesConsole = pageEndpoints("console", "templates", {
  list: read({
    privilege: READ_EMAILS,
    query: PageQuery.and(z.object({ sort: sortQuery(["name", "changed", "created"], "-created") })),
    async handle({ ctx, query: { sort, ...request } }) {
      const page = await listTemplates(ctx, request, sort);
      return countedList(page, shownTemplate);
    },
  }),

  create: change({
    privilege: "api_controls",
    body: TemplateToCreate,
    bodyLimit: "sending",
    handle: async ({ ctx, body }) => changedId(await createTemplate(ctx, body)),
  }),

  get: read({
    privilege: READ_EMAILS,
    params: TemplatePath,
    async handle({ ctx, params: { id } }) {
      const template = await getTemplate(ctx, id);
      const versions = await listVersions(ctx, template.template.id);
      const { from, subject, replyTo, html, text, variables } = template.current;
      return {
        ...shownTemplate({ ...template.template, publishedAt: template.publishedAt }),
        from,
        subject,
        replyTo,
        html,
        text,
        variables: variables.map(shownVariable),
        versions: versions.map((version) => ({
          number: version.number,
          subject: version.subject,
          html: version.html,
          text: version.text,
          updatedAt: version.updatedAt,
          variables: version.variables.map(shownVariable),
          publishedAt: version.publishedAt,
          isPublished: version.isPublished,
        })),
      };
    },
  }),

  update: change({
    privilege: "api_controls",
    params: TemplatePath,
    body: TemplateChanges,
    bodyLimit: "sending",
    handle: async ({ ctx, params: { id }, body }) => changedId(await updateTemplate(ctx, id, body)),
  }),

  delete: change({
    privilege: "api_controls",
    params: TemplatePath,
    handle: async ({ ctx, params: { id } }) => changedId(await deleteTemplate(ctx, id)),
  }),

  publish: change({
    privilege: "api_controls",
    params: TemplatePath,
    handle: async ({ ctx, params: { id } }) => changedId(await publishTemplate(ctx, id)),
  }),

  duplicate: change({
    privilege: "api_controls",
    params: TemplatePath,
    handle: async ({ ctx, params: { id } }) => changedId(await duplicateTemplate(ctx, id)),
  }),

  restoreVersion: change({
    privilege: "api_controls",
    params: TemplatePath,
    body: z.object({ version: z.int().min(1).max(2_147_483_647) }),
    handle: async ({ ctx, params: { id }, body: { version } }) =>
      changedId(await restoreVersion(ctx, id, version)),
  }),
});

const changedId = ({ id }: { id: string }) => ({ id });

function shownTemplate(template: ListedTemplate) {
  const { id, name, alias, publishedAt, createdAt, updatedAt } = template;
  return {
    id,
    name,
    alias,
    status: template.publishedVersionId === null ? ("draft" as const) : ("published" as const),
    publishedAt: publishedAt && consoleTimestamp(publishedAt),
    createdAt: consoleTimestamp(createdAt),
    updatedAt: consoleTimestamp(updatedAt),
    hasDraft: template.currentVersionId !== template.publishedVersionId,
  };
}

const shownVariable = ({ key, type, fallbackValue }: TemplateVariable) => ({
  key,
  type,
  fallbackValue,
});
