import { eq } from "drizzle-orm";

import { people } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { requireStrongPassword } from "#server/core/access/admins/password.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { lock } from "#server/db/advisory-locks.ts";
import type { Db } from "#server/db/client.ts";

import { createCompany } from "./create-company.ts";
import { isSetUp } from "./is-set-up.ts";
import { isSetupToken, removeSetupToken } from "./setup-token.ts";

export type FirstRun = {
  token: string;
  companyName: string;
  owner: { name: string; email: string; password: string };
};

export async function getSetUpState(
  db: Db,
  token: string,
): Promise<"open" | "token_needed" | "finished"> {
  if (await isSetUp(db)) return "finished";
  return (await isSetupToken(token)) ? "open" : "token_needed";
}

/**
 * Creates the first company with its owner, who also becomes an operator.
 *
 * @returns the Set-Cookie value that signs the owner in
 * @throws Refusal `wrong_setup_token`, `already_exists` if a company exists, `invalid`
 */
export async function setUp(db: Db, { token, companyName, owner }: FirstRun): Promise<string> {
  requireOpen(await getSetUpState(db, token));
  const known = [owner.email.split("@")[0]!, owner.name, companyName];
  requireStrongPassword(owner.password, known, "owner.password");
  const ownerId = await db.transaction(async (tx) => {
    await lock(tx, "setUp");
    requireOpen(await getSetUpState(tx, token));
    const made = await createCompany(tx, { name: companyName, owner });
    await tx.update(people).set({ isOperator: true }).where(eq(people.email, made.owner.email));
    return made.owner.id;
  });
  removeSetupToken(config().dataFolder);
  return startSession(db, ownerId);
}

function requireOpen(state: Awaited<ReturnType<typeof getSetUpState>>): void {
  if (state === "finished")
    throw new Refusal("already_exists", "Posthouse is already set up. Sign in instead");
  if (state === "token_needed")
    throw new Refusal(
      "wrong_setup_token",
      "The setup link is not valid. Use the link that posthouse start prints",
    );
}
