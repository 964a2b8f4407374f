import { and, eq, isNull, ne, sql } from "drizzle-orm";

import { orgUnits } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { readOneLine } from "#server/core/shared/one-line.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

const NAME_MAX = 120;

/**
 * Trims and validates a unit's name.
 *
 * @throws Refusal `invalid`
 */
export const readUnitName = (text: string): string =>
  readOneLine(text, "name", {
    max: NAME_MAX,
    message: `name: must be 1 to ${NAME_MAX} characters, without control characters`,
  });

/**
 * Requires that no sibling has this name, ignoring case.
 *
 * @param except id of the unit that is being renamed
 * @param field the field that the error is about
 * @throws Refusal `already_exists`
 */
export async function requireFreeName(
  ctx: Context,
  {
    name,
    parentId,
    except,
    field = "name",
  }: {
    name: string;
    parentId: number | null;
    except?: number;
    field?: "name" | "parent_id";
  },
): Promise<void> {
  const [taken] = await ctx.db
    .select({ id: orgUnits.id })
    .from(orgUnits)
    .where(
      and(
        eq(orgUnits.companyId, ctx.companyId),
        parentId === null ? isNull(orgUnits.parentId) : eq(orgUnits.parentId, parentId),
        sql`lower(${orgUnits.name}) = lower(${name})`,
        except === undefined ? undefined : ne(orgUnits.id, except),
      ),
    );
  if (taken)
    throw new Refusal("already_exists", `A unit named ${name} already exists in this unit`, {
      field,
    });
}
