import { eq, sql } from "drizzle-orm";

import { templates, templateVersions } from "#drizzle/schema/index.ts";
import {
  STORED_MAX,
  type TemplateContent,
} from "#server/core/sending/templates/template-content.ts";
import { type Context, lockCompany } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

type Stored = Pick<TemplateContent, "html" | "text">;

/**
 * Locks the company, so that concurrent calls can't exceed the limit.
 *
 * @param replaced the content that the new one overwrites; null if it is stored beside it
 * @throws Refusal `invalid` if all versions of the company's templates would take more than allowed
 */
export async function requireRoom(
  ctx: Context,
  added: Stored,
  replaced: Stored | null,
): Promise<void> {
  await lockCompany(ctx);
  const growth = sizeOf(added) - (replaced ? sizeOf(replaced) : 0);
  if (growth <= 0 || (await readStored(ctx)) + growth <= STORED_MAX) return;
  throw new Refusal(
    "invalid",
    `Your templates can take ${STORED_MAX / 1_000_000} MB in total, including earlier versions. Delete a template that you no longer need, then try again`,
  );
}

const sizeOf = ({ html, text }: Stored) => Buffer.byteLength(html) + Buffer.byteLength(text ?? "");

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
