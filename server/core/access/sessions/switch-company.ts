import { eq } from "drizzle-orm";

import { people, sessions } from "#drizzle/schema/index.ts";
import { listCompaniesOfPerson } from "#server/core/access/companies/list-companies-of-person.ts";
import { findProvider } from "#server/core/access/single-sign-on/find-provider.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

import { endSession, type SessionOrigin, type SignedIn, startSession } from "./sessions.ts";

/**
 * Replaces the session with one at another of the person's companies. The start time carries over, so that
 * switching doesn't extend the session.
 *
 * @returns the Set-Cookie value
 * @throws Refusal `not_found` if they aren't an admin there, their access is suspended, or the company is; `not_allowed` if
 *   an identity provider started the session, or the other company requires its own
 */
export function switchCompany(
  db: Db,
  { email, sessionId, providerId }: Pick<SignedIn, "email" | "sessionId" | "providerId">,
  toCompanyId: string,
  origin: SessionOrigin,
): Promise<string> {
  return db.transaction(async (tx) => {
    const open = await listCompaniesOfPerson(tx, email);
    const wanted = open.find(({ id }) => id === toCompanyId);
    if (!wanted) throw new Refusal("not_found", "Company not found");
    rejectProviderSession({ providerId });
    const provider = await findProvider({ db: tx, companyId: toCompanyId });
    if (provider?.requiredForAdmins)
      throw new Refusal(
        "not_allowed",
        `${wanted.name} requires single sign-on. Sign out, then sign in with its identity provider`,
      );
    // Locked, so that of two concurrent switches the second finds the session ended.
    const [session] = await tx
      .select({ createdAt: sessions.createdAt })
      .from(sessions)
      .where(eq(sessions.id, sessionId))
      .for("update");
    if (!session) throw new Refusal("not_signed_in", "You're not signed in");
    await endSession(tx, sessionId);
    await tx.update(people).set({ lastCompanyId: toCompanyId }).where(eq(people.email, email));
    return startSession(tx, wanted.adminId, { ...origin, createdAt: session.createdAt });
  });
}

/**
 * Rejects a session that an identity provider started, because the provider speaks only for its own company.
 *
 * @throws Refusal `not_allowed`
 */
export function rejectProviderSession({ providerId }: Pick<SignedIn, "providerId">): void {
  if (providerId !== null)
    throw new Refusal(
      "not_allowed",
      "Single sign-on opens only this company. Sign out, then sign in with your password",
    );
}
