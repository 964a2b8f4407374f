import { and, eq } from "drizzle-orm";

import { orgUnits } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import {
  privilegeLabel,
  type Privilege,
  PRIVILEGES,
} from "#server/core/access/privileges/privileges.ts";
import { readOneLine } from "#server/core/shared/one-line.ts";
import { readFields } from "#server/core/shared/read-fields.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { UNIT_PRIVILEGES } from "#server/core/access/privileges/held-privileges.ts";

const NAME_MAX = 60;

export type RoleInput = {
  name: string;
  privileges: string[];
  /** The unit that the role is limited to, with its descendants; null for the whole company. */
  orgUnitId: number | null;
};

export type RoleFields = { name: string; privileges: Privilege[]; orgUnitId: number | null };

/**
 * Validates a role's fields and sorts its privileges.
 *
 * @throws Refusal `invalid` beginning with the field: `name`, `privileges` or `unit_id`
 */
export async function readRole(ctx: Context, written: RoleInput): Promise<RoleFields> {
  const { orgUnitId } = written;
  const { name, privileges } = readFields({
    name: () => readOneLine(written.name, "name", { max: NAME_MAX }),
    privileges: () => readPrivileges(written.privileges),
  });
  if (orgUnitId !== null) {
    await requireUnit(ctx, orgUnitId);
    requireUnitPrivileges(privileges);
  }
  return { name, privileges, orgUnitId };
}

function readPrivileges(written: readonly string[]): Privilege[] {
  const privileges = PRIVILEGES.filter((each) => written.includes(each));
  const unknown = written.find((each) => !(PRIVILEGES as readonly string[]).includes(each));
  if (unknown !== undefined)
    throw new Refusal("invalid", `privileges: "${unknown.slice(0, 40)}" is not a privilege`);
  if (privileges.length === 0)
    throw new Refusal("invalid", "privileges: must include at least one privilege");
  return privileges;
}

async function requireUnit(ctx: Context, id: number): Promise<void> {
  const isOwn = and(eq(orgUnits.id, id), eq(orgUnits.companyId, ctx.companyId));
  const [unit] = await ctx.db
    .select({ id: orgUnits.id })
    .from(orgUnits)
    .where(isOwn)
    .for("key share");
  if (!unit) throw new Refusal("invalid", "unit_id: no longer exists");
}

function requireUnitPrivileges(privileges: Privilege[]): void {
  const others = privileges.filter(
    (each) => !(UNIT_PRIVILEGES as readonly string[]).includes(each),
  );
  if (others.length === 0) return;
  const names = others.map(privilegeLabel).join(", ");
  throw new Refusal("invalid", `privileges: a role for one unit can't include ${names}`);
}
