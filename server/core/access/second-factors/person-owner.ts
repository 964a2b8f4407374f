import { requireOwnPassword } from "#server/core/access/people/require-own-password.ts";
import {
  endSessionsOfPerson,
  renewSession,
} from "#server/core/access/sessions/console-sessions.ts";
import type { SignedIn } from "#server/core/access/sessions/sessions.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import type { FactorOwner } from "./factor-owner.ts";
import { afterFactorChange } from "./internal/after-change.ts";

/** An admin who is signed in at the console. */
export const personOwner = (
  signedIn: Pick<SignedIn, "id" | "email" | "name" | "sessionId">,
): FactorOwner => {
  const { email, name, sessionId } = signedIn;
  return {
    ...{ kind: "person", email, name, sessionId },
    async requirePassword(db, { password, clientAddress }) {
      // A provider speaks only for its company, but the factors protect all of the person's companies.
      if (password === undefined) throw new Refusal("invalid", "current_password: is required");
      await requireOwnPassword(db, { email, password, clientAddress });
    },
    afterChange: (db, what, details) => afterFactorChange(db, { email }, what, details),
    async afterTurnedOn(db) {
      await endSessionsOfPerson(db, email, { keptId: sessionId });
    },
    renewSession: (db, origin) => renewSession(db, signedIn, origin),
  };
};
