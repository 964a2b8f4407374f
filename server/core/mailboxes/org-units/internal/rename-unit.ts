import { eq } from "drizzle-orm";

import { orgUnits } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { lockTree } from "./lock-tree.ts";
import { lockUnit } from "#server/core/mailboxes/org-units/require-unit.ts";
import { readUnitName, requireFreeName } from "./unit-name.ts";

/** @throws Refusal `not_found`, `invalid`, `already_exists` for a sibling's name */
export async function renameUnit(ctx: Context, id: number, written: string): Promise<void> {
  const name = readUnitName(written);
  await inTransaction(ctx, async (ctx) => {
    await lockTree(ctx);
    const unit = await lockUnit(ctx, id);
    if (unit.name === name) return;
    await requireFreeName(ctx, { name, parentId: unit.parentId, except: id });
    await ctx.db.update(orgUnits).set({ name }).where(eq(orgUnits.id, id));
    await recordAudit(ctx, "unit.renamed", { unit: id, from: unit.name, to: name });
  });
}
