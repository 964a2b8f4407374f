import { eq } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { type TemplateVariable, templates, templateVersions } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { lockCompany } from "#server/core/shared/lock-company.ts";
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
import { TEMPLATES_MAX } from "./limits.ts";
import { getTemplate } from "./require-template.ts";

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
    name: () => readName(name),
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
    const [id, versionId] = [uuidv7(), uuidv7()];
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
