import type { Context } from "#server/core/shared/context.ts";
import type { Operator } from "#server/core/operations/companies/operators.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";

/** The operator who calls an endpoint, independent of the company they are signed in to. */
export const currentOperator = ({
  ctx: { db, now },
  signedIn: { email },
}: {
  ctx: Context;
  signedIn: Pick<SignedIn, "email">;
}): Operator => ({ db, now, email });
