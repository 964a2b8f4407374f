import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";

import { templates, templateVersions } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  type CountedPage,
  type PageRequest,
  pageSorted,
  type Sort,
  sortOrders,
} from "#server/core/shared/paging/pages.ts";

import { getTemplate } from "./templates.ts";

export type ListedTemplate = typeof templates.$inferSelect & {
  publishedAt: string | null;
};

type TemplateSort = Sort<"name" | "changed" | "created">;

const orderOf = sortOrders({
  name: sql`lower(${templates.name})`,
  changed: templates.updatedAt,
  created: templates.createdAt,
});
const NEWEST_FIRST: TemplateSort = { by: "created", direction: "descending" };

/**
 * Returns a page of the company's templates.
 *
 * @throws Refusal `invalid` for a cursor that is not a template of the company
 */
export async function listTemplates(
  ctx: Context,
  page: PageRequest,
  sort = NEWEST_FIRST,
): Promise<CountedPage<ListedTemplate>> {
  const list = pageSorted(ctx.db, templates, orderOf(sort), { inList: inList(ctx) }, page);
  return list.read(
    ctx.db
      .select({ ...getTableColumns(templates), publishedAt: templateVersions.publishedAt })
      .from(templates)
      .leftJoin(templateVersions, eq(templateVersions.id, templates.publishedVersionId)),
  );
}

const inList = (ctx: Context) => eq(templates.companyId, ctx.companyId);

/**
 * Returns the versions of a template that are kept, newest first.
 *
 * @throws Refusal `not_found`
 */
export async function listVersions(ctx: Context, idOrAlias: string) {
  const { template } = await getTemplate(ctx, idOrAlias);
  const { number, subject, html, text, variables, publishedAt, updatedAt, id } = templateVersions;
  const versions = await ctx.db
    .select({ id, number, subject, html, text, variables, publishedAt, updatedAt })
    .from(templateVersions)
    .where(
      and(
        eq(templateVersions.companyId, ctx.companyId),
        eq(templateVersions.templateId, template.id),
      ),
    )
    .orderBy(desc(number));
  return versions.map((version) => ({
    ...version,
    isPublished: version.id === template.publishedVersionId,
  }));
}
