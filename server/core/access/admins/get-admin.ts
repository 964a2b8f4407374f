import { and, eq } from "drizzle-orm";

import { type Admin, admins } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { selectShownAdmins, type ShownAdmin } from "./shown-admin.ts";

/** @throws Refusal `not_found` */
export async function getAdmin(ctx: Context, id: string): Promise<ShownAdmin> {
  const [admin] = await selectShownAdmins(ctx).where(
    and(eq(admins.id, id), eq(admins.companyId, ctx.companyId)),
  );
  if (!admin) throw notFound();
  return admin;
}

/**
 * Locks an admin's row until the transaction ends.
 *
 * @throws Refusal `not_found`
 */
export async function lockAdmin(ctx: Context, id: string): Promise<Admin> {
  const [admin] = await ctx.db
    .select()
    .from(admins)
    .where(and(eq(admins.id, id), eq(admins.companyId, ctx.companyId)))
    .for("no key update");
  if (!admin) throw notFound();
  return admin;
}

const notFound = () => new Refusal("not_found", "Admin not found");
