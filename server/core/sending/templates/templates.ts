import { isDeepStrictEqual } from "node:util";

import { aliasedTable, and, eq, lte, ne, sql, type SQL } from "drizzle-orm";
import { v7 } from "uuid";

import {
  type Template,
  templates,
  type TemplateVariable,
  type TemplateVersion,
  templateVersions,
} from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import {
  type CompanyScope,
  type Context,
  inTransaction,
  lockCompany,
} from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import {
  contentBytes,
  type DeclaredVariable,
  readAlias,
  readTemplateName,
  readVariables,
  STORED_MAX,
  type TemplateContent,
  TEMPLATES_MAX,
  VERSIONS_KEPT,
} from "./template-content.ts";

export type TemplateInput = TemplateContent & {
  name: string;
  alias: string | null;
  variables: readonly DeclaredVariable[];
};

/**
 * Creates a template as a draft: emails can use it once it is published.
 *
 * @throws Refusal `invalid` for a field, an alias that is taken, or without room (`requireRoom`); `not_allowed` if the company has too many
 */
export async function createTemplate(
  ctx: Context,
  { name, alias, variables, ...content }: TemplateInput,
): Promise<{ id: string }> {
  const fields = readFields({
    name: () => readTemplateName(name),
    alias: () => readAlias(alias),
    variables: () => readVariables(variables, content),
  });
  return insertTemplate(ctx, { ...fields, content }, "template.created");
}

const NAME_MAX = 100;
const COPY = " (copy)";

/**
 * Creates a draft with the newest content of another template, and without its alias.
 *
 * @throws Refusal `not_found`; `not_allowed` if the company has too many templates; `invalid` without room (`requireRoom`)
 */
export async function duplicateTemplate(ctx: Context, idOrAlias: string): Promise<{ id: string }> {
  const { template, current } = await getTemplate(ctx, idOrAlias);
  const { subject, from, replyTo, html, text, variables } = current;
  const name = `${Array.from(template.name)
    .slice(0, NAME_MAX - COPY.length)
    .join("")}${COPY}`;
  const content = { subject, from, replyTo, html, text };
  return insertTemplate(ctx, { name, alias: null, variables, content }, "template.duplicated", {
    from: template.id,
  });
}

type NewTemplate = {
  name: string;
  alias: string | null;
  variables: TemplateVariable[];
  content: TemplateContent;
};

function insertTemplate(
  ctx: Context,
  { name, alias, variables, content }: NewTemplate,
  action: "template.created" | "template.duplicated",
  details: Record<string, unknown> = {},
): Promise<{ id: string }> {
  return inTransaction(ctx, async (ctx) => {
    await requireUnderLimit(ctx);
    await requireRoom(ctx, content, null);
    if (alias !== null) await requireFreeAlias(ctx, alias);
    const [id, versionId] = [v7(), v7()];
    const { companyId } = ctx;
    await ctx.db
      .insert(templates)
      .values({ id, companyId, name, alias, currentVersionId: versionId });
    await ctx.db
      .insert(templateVersions)
      .values({ id: versionId, companyId, templateId: id, number: 1, variables, ...content });
    await recordAudit(ctx, action, { template: id, name, ...details });
    return { id };
  });
}

/** Locks the company, so that concurrent calls can't exceed the limit. */
async function requireUnderLimit(ctx: Context): Promise<void> {
  await lockCompany(ctx);
  const existing = await ctx.db.$count(templates, eq(templates.companyId, ctx.companyId));
  if (existing >= TEMPLATES_MAX)
    throw new Refusal(
      "not_allowed",
      `A company can have at most ${TEMPLATES_MAX} templates. Delete one first`,
    );
}

/** Omitted fields stay unchanged. */
export type TemplateChanges = {
  [Name in keyof TemplateContent]?: TemplateContent[Name] | undefined;
} & {
  name?: string | undefined;
  alias?: string | null | undefined;
  /** Replaces the list. */
  variables?: readonly DeclaredVariable[] | undefined;
};

/**
 * Changes a template. Name and alias change at once. New content goes into the draft, which is created if the newest
 * version is published: emails keep using the published version.
 *
 * @throws Refusal `not_found`; `invalid` for a field, an alias that is taken, or without room (`requireRoom`)
 */
export function updateTemplate(
  ctx: Context,
  idOrAlias: string,
  changes: TemplateChanges,
): Promise<{ id: string }> {
  return inTransaction(ctx, async (ctx) => {
    const before = await lockTemplate(ctx, idOrAlias);
    await change(ctx, before, changes);
    return { id: before.template.id };
  });
}

/**
 * Makes the content of an older version the draft.
 *
 * @throws Refusal `not_found`; `invalid` without room (`requireRoom`)
 */
export function restoreVersion(
  ctx: Context,
  idOrAlias: string,
  number: number,
): Promise<{ id: string }> {
  return inTransaction(ctx, async (ctx) => {
    const before = await lockTemplate(ctx, idOrAlias);
    const [old] = await ctx.db
      .select()
      .from(templateVersions)
      .where(
        and(
          eq(templateVersions.companyId, ctx.companyId),
          eq(templateVersions.templateId, before.template.id),
          eq(templateVersions.number, number),
        ),
      );
    if (!old) throw new Refusal("not_found", "Version not found");
    const { subject, from, replyTo, html, text, variables } = old;
    await change(ctx, before, { subject, from, replyTo, html, text, variables });
    return { id: before.template.id };
  });
}

async function change(
  ctx: Context,
  { template, current }: TemplateWithContent,
  { name, alias, variables: declared, ...given }: TemplateChanges,
): Promise<void> {
  const content = mergeContent(current, given);
  const fields = readFields({
    name: () => (name === undefined ? template.name : readTemplateName(name)),
    alias: () => (alias === undefined ? template.alias : readAlias(alias)),
    variables: () => readVariables(declared ?? current.variables, content, current.variables),
  });
  if (fields.alias !== null && fields.alias !== template.alias)
    await requireFreeAlias(ctx, fields.alias, template.id);
  const next = { ...content, variables: fields.variables };
  const hasNewContent = !isDeepStrictEqual(next, {
    ...mergeContent(current, {}),
    variables: current.variables,
  });
  const hasNewName = fields.name !== template.name || fields.alias !== template.alias;
  if (!hasNewContent && !hasNewName) return;

  const currentVersionId = hasNewContent ? await writeDraft(ctx, current, next) : current.id;
  await ctx.db
    .update(templates)
    .set({
      name: fields.name,
      alias: fields.alias,
      currentVersionId,
      updatedAt: sql`clock_timestamp()`,
    })
    .where(eq(templates.id, template.id));
  await recordAudit(ctx, "template.updated", {
    template: template.id,
    name: fields.name,
    ...(fields.alias !== template.alias && { alias: fields.alias }),
    ...(hasNewContent && { content: true }),
  });
}

const mergeContent = (
  { subject, from, replyTo, html, text }: TemplateVersion,
  given: { [Name in keyof TemplateContent]?: TemplateContent[Name] | undefined },
): TemplateContent => ({
  subject: given.subject === undefined ? subject : given.subject,
  from: given.from === undefined ? from : given.from,
  replyTo: given.replyTo === undefined ? replyTo : given.replyTo,
  html: given.html ?? html,
  text: given.text === undefined ? text : given.text,
});

/** @returns the draft's ID */
async function writeDraft(
  ctx: Context,
  current: TemplateVersion,
  content: TemplateContent & Pick<TemplateVersion, "variables">,
): Promise<string> {
  await requireRoom(ctx, content, current.publishedAt === null ? current : null);
  const { db, companyId } = ctx;
  if (current.publishedAt === null) {
    await db
      .update(templateVersions)
      .set({ ...content, updatedAt: sql`clock_timestamp()` })
      .where(eq(templateVersions.id, current.id));
    return current.id;
  }
  const id = v7();
  const { templateId, number } = current;
  await db
    .insert(templateVersions)
    .values({ id, companyId, templateId, number: number + 1, ...content });
  return id;
}

/**
 * Publishes the draft: emails accepted from now on use it. Without a draft, nothing changes. Deletes the oldest
 * versions beyond those kept.
 *
 * @throws Refusal `not_found`
 */
export function publishTemplate(ctx: Context, idOrAlias: string): Promise<{ id: string }> {
  return inTransaction(ctx, async (ctx) => {
    const { template, current } = await lockTemplate(ctx, idOrAlias);
    const { id, name } = template;
    if (template.publishedVersionId === current.id) return { id };
    await ctx.db
      .update(templateVersions)
      .set({ publishedAt: sql`clock_timestamp()` })
      .where(eq(templateVersions.id, current.id));
    await ctx.db
      .update(templates)
      .set({ publishedVersionId: current.id })
      .where(eq(templates.id, id));
    await ctx.db
      .delete(templateVersions)
      .where(
        and(
          eq(templateVersions.templateId, id),
          lte(templateVersions.number, current.number - VERSIONS_KEPT),
        ),
      );
    await recordAudit(ctx, "template.published", { template: id, name, version: current.number });
    return { id };
  });
}

/**
 * Deletes a template with its versions. Accepted emails have their content already.
 *
 * @throws Refusal `not_found`
 */
export function deleteTemplate(ctx: Context, idOrAlias: string): Promise<{ id: string }> {
  return inTransaction(ctx, async (ctx) => {
    const [deleted] = await ctx.db
      .delete(templates)
      .where(isTemplate(ctx, idOrAlias))
      .returning({ id: templates.id, name: templates.name });
    if (!deleted) throw templateNotFound();
    await recordAudit(ctx, "template.deleted", { template: deleted.id, name: deleted.name });
    return { id: deleted.id };
  });
}

/** A template with its newest version. */
export type TemplateWithContent = {
  template: Template;
  current: TemplateVersion;
  /** When the version that emails use was published. */
  publishedAt: string | null;
};

/** Condition for the company's template with this ID or alias. An alias never looks like an ID. */
const isTemplate = ({ companyId }: CompanyScope, idOrAlias: string): SQL =>
  and(
    eq(templates.companyId, companyId),
    isUuid(idOrAlias) ? eq(templates.id, idOrAlias) : eq(templates.alias, idOrAlias),
  )!;

const published = aliasedTable(templateVersions, "published");

/**
 * Returns the company's template with this ID or alias.
 *
 * @throws Refusal `not_found`
 */
export async function getTemplate(
  ctx: CompanyScope,
  idOrAlias: string,
): Promise<TemplateWithContent> {
  const rows = await ctx.db
    .select({ template: templates, current: templateVersions, publishedAt: published.publishedAt })
    .from(templates)
    .innerJoin(templateVersions, eq(templateVersions.id, templates.currentVersionId))
    .leftJoin(published, eq(published.id, templates.publishedVersionId))
    .where(isTemplate(ctx, idOrAlias));
  const [found] = rows as TemplateWithContent[];
  if (!found) throw templateNotFound();
  return found;
}

/** Like `getTemplate`, and locks the template until the transaction ends. */
async function lockTemplate(ctx: CompanyScope, idOrAlias: string): Promise<TemplateWithContent> {
  // Lock first, so that the newest version is read after a change at the same time.
  const [locked] = await ctx.db
    .select({ id: templates.id })
    .from(templates)
    .where(isTemplate(ctx, idOrAlias))
    .for("update");
  if (!locked) throw templateNotFound();
  return getTemplate(ctx, locked.id);
}

const templateNotFound = () => new Refusal("not_found", "Template not found");

/**
 * Locks the company, so that two templates can't take the same alias at the same time.
 *
 * @param ownId the template that may have it already
 * @throws Refusal `invalid` if another template of the company has the alias
 */
async function requireFreeAlias(ctx: Context, alias: string, ownId?: string): Promise<void> {
  await lockCompany(ctx);
  const taken = await ctx.db.$count(
    templates,
    and(
      eq(templates.companyId, ctx.companyId),
      eq(templates.alias, alias),
      ownId === undefined ? undefined : ne(templates.id, ownId),
    ),
  );
  if (taken > 0) throw new Refusal("invalid", "alias: is used by another template");
}

type Stored = Pick<TemplateContent, "html" | "text">;

/**
 * Locks the company, so that concurrent calls can't exceed the limit.
 *
 * @param replaced the content that the new one overwrites; null if it is stored beside it
 * @throws Refusal `invalid` if all versions of the company's templates would take more than allowed
 */
async function requireRoom(ctx: Context, added: Stored, replaced: Stored | null): Promise<void> {
  await lockCompany(ctx);
  const growth = contentBytes(added) - (replaced ? contentBytes(replaced) : 0);
  if (growth <= 0 || (await readStored(ctx)) + growth <= STORED_MAX) return;
  throw new Refusal(
    "invalid",
    `Your templates can take ${STORED_MAX / 1_000_000} MB in total, including earlier versions. Delete a template that you no longer need, then try again`,
  );
}

/** In bytes. Reads only the sizes: `octet_length` doesn't load what is stored out of line. */
async function readStored({ db, companyId }: Context): Promise<number> {
  const { html, text } = templateVersions;
  const [row] = await db
    .select({
      bytes: sql<number>`coalesce(sum(octet_length(${html}) + octet_length(coalesce(${text}, ''))), 0)::float8`,
    })
    .from(templates)
    .innerJoin(templateVersions, eq(templateVersions.templateId, templates.id))
    .where(eq(templates.companyId, companyId));
  return row!.bytes;
}
