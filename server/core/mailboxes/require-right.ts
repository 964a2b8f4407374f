import type { Mailbox } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/context.ts";
import { nameOfPrivilege } from "#server/core/privileges.ts";
import { Refusal } from "#server/core/refusals.ts";
import { mayIn, type Rights, type UnitPrivilege } from "#server/core/rights/rights.ts";

import { requireMailbox } from "./require-mailbox.ts";

/**
 * The company's mailbox of this address, when the privilege is held for its unit.
 *
 * @throws Refusal `not_found`, `invalid_permission`
 */
export async function requireRightOn(
  ctx: Context,
  rights: Rights,
  privilege: UnitPrivilege,
  address: string,
): Promise<Mailbox> {
  const mailbox = await requireMailbox(ctx, address);
  requireRightIn(rights, privilege, mailbox.orgUnitId);
  return mailbox;
}

/** @throws Refusal `invalid_permission` when the privilege is not held for the unit */
export function requireRightIn(rights: Rights, privilege: UnitPrivilege, unitId: number): void {
  if (mayIn(rights, privilege, unitId)) return;
  throw new Refusal(
    "invalid_permission",
    `This takes the privilege ${nameOfPrivilege(privilege)} for the mailbox's unit`,
  );
}
