import { eq } from "drizzle-orm";

import { people, sessions } from "#drizzle/schema/index.ts";
import { companiesOfPerson } from "#server/core/access/companies/companies-of-person.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { endSession, type SessionOrigin, type SignedIn, startSession } from "./sessions.ts";

/**
 * Ends the person's session and starts one at another of their companies. It counts as begun when the
 * first one was: nobody stays longer by going to and fro. Returns the Set-Cookie value.
 *
 * @throws Refusal `not_found` where they are no admin, are shut out, or the company is suspended
 */
export function switchCompany(
  db: Db,
  { email, sessionId }: Pick<SignedIn, "email" | "sessionId">,
  companyId: string,
  origin: SessionOrigin,
): Promise<string> {
  return db.transaction(async (tx) => {
    const open = await companiesOfPerson(tx, email);
    const wanted = open.find(({ id }) => id === companyId);
    if (!wanted) throw new Refusal("not_found", "Company not found");
    // Locked: of two switches of one session at the same time, the second finds it ended.
    const [session] = await tx
      .select({ createdAt: sessions.createdAt })
      .from(sessions)
      .where(eq(sessions.id, sessionId))
      .for("update");
    if (!session) throw new Refusal("not_signed_in", "Please sign in");
    await endSession(tx, sessionId);
    await tx.update(people).set({ lastCompanyId: companyId }).where(eq(people.email, email));
    return startSession(tx, wanted.adminId, { ...origin, createdAt: session.createdAt });
  });
}
