import { isDeepStrictEqual } from "node:util";

import { and, eq, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { type TemplateVersion, templates, templateVersions } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { requireFreeAlias } from "./internal/require-free-alias.ts";
import { requireRoom } from "./internal/require-room.ts";
import {
  type DeclaredVariable,
  readAlias,
  readName,
  readVariables,
  type TemplateContent,
} from "./internal/template-content.ts";
import { lockTemplate, type TemplateWithContent } from "./require-template.ts";

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
    name: () => (name === undefined ? template.name : readName(name)),
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
      ...{ name: fields.name, alias: fields.alias, currentVersionId },
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

function mergeContent(
  { subject, from, replyTo, html, text }: TemplateVersion,
  given: { [Name in keyof TemplateContent]?: TemplateContent[Name] | undefined },
): TemplateContent {
  return {
    subject: given.subject === undefined ? subject : given.subject,
    from: given.from === undefined ? from : given.from,
    replyTo: given.replyTo === undefined ? replyTo : given.replyTo,
    html: given.html ?? html,
    text: given.text === undefined ? text : given.text,
  };
}

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
  const id = uuidv7();
  const { templateId, number } = current;
  await db
    .insert(templateVersions)
    .values({ id, companyId, templateId, number: number + 1, ...content });
  return id;
}
