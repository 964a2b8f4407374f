import { companies } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { readCompanyName } from "./create-company.ts";
import { inTransaction } from "#server/core/shared/context.ts";
import { readSignInAddress } from "#server/core/access/invitations/invitation-input.ts";
import { invite } from "#server/core/access/invitations/invite.ts";
import { ensureRootUnit } from "#server/core/mailboxes/org-units/ensure-root-unit.ts";
import { assignPlan } from "#server/core/operations/plans/assign-plan.ts";

import { operatorContext, type Operator } from "./operator-context.ts";

export type NewOperatedCompany = {
  name: string;
  /** Null for no limits. */
  planId: string | null;
  owner: { email: string; name: string };
};

/**
 * Creates a company and invites its owner by email, so that the operator never knows a password.
 *
 * @returns the token of the invitation link, which isn't stored
 * @throws Refusal `invalid`, `not_found` for the plan
 */
export async function createOperatedCompany(
  operator: Operator,
  input: NewOperatedCompany,
): Promise<{ id: string; token: string }> {
  const name = readCompanyName(input.name);
  const email = readSignInAddress(input.owner.email);
  return operator.db.transaction(async (tx) => {
    const [made] = await tx.insert(companies).values({ name }).returning({ id: companies.id });
    await ensureRootUnit({ db: tx, companyId: made!.id });
    const ctx = await operatorContext({ ...operator, db: tx }, made!.id);
    return inTransaction(ctx, async (ctx) => {
      await recordAudit(ctx, "company.created", { name, owner: email });
      if (input.planId !== null) await assignPlan(ctx, input.planId);
      const { token } = await invite(ctx, { ...input.owner, email, isOwner: true, roleIds: [] });
      return { id: made!.id, token };
    });
  });
}
