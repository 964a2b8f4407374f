import { eq } from "drizzle-orm";

import { mailboxes, orgUnits, roles } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { lockTree } from "./internal/lock-tree.ts";
import { lockUnit } from "./require-unit.ts";

/**
 * Deletes an empty unit, with the roles that are limited to it.
 *
 * @throws Refusal `not_found`, `invalid` for the root, `resource_in_use` while it has mailboxes or units
 */
export async function deleteUnit(ctx: Context, id: number): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await lockTree(ctx);
    // Waits for transactions that are adding a mailbox to it.
    const unit = await lockUnit(ctx, id);
    if (unit.parentId === null) throw new Refusal("invalid", "The root unit can't be deleted");
    if ((await ctx.db.$count(orgUnits, eq(orgUnits.parentId, id))) > 0)
      throw new Refusal(
        "resource_in_use",
        `${unit.name} still has subunits. Move or delete them first`,
      );
    if ((await ctx.db.$count(mailboxes, eq(mailboxes.orgUnitId, id))) > 0)
      throw new Refusal("resource_in_use", `${unit.name} still has mailboxes. Move them first`);
    const limited = await ctx.db
      .delete(roles)
      .where(eq(roles.orgUnitId, id))
      .returning({ name: roles.name });
    await ctx.db.delete(orgUnits).where(eq(orgUnits.id, id));
    const details = { unit: id, name: unit.name, roles: limited.map(({ name }) => name) };
    await recordAudit(ctx, "unit.deleted", details);
  });
}
