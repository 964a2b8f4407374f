import type { Origin } from "#server/core/access/people/sign-in.ts";
import type { PersonalNotice } from "#server/core/platform/notices/notify-admins.ts";
import type { Db } from "#server/db/client.ts";

/** Kind of change; audited with the prefix `second_factor.`. */
export type FactorChange = Exclude<PersonalNotice, "password_changed">;

/** Whose factors: an admin's, or a mailbox user's. `email` is the address they sign in with. */
export type FactorAccount = { kind: "person" | "mailbox"; email: string };

/** Someone who is signed in and changes their own factors. */
export type FactorOwner = FactorAccount & {
  name: string;
  sessionId: string;
  /**
   * Checks the password. Wrong ones count toward the sign-in limits.
   *
   * @param shown.password undefined if the identity provider has verified the user instead
   * @throws Refusal `invalid` beginning with `current_password`, `rate_limit_exceeded`
   */
  requirePassword(
    db: Db,
    shown: { password: string | undefined; clientAddress: string },
  ): Promise<void>;
  /** Call in the transaction of each change of factors. */
  afterChange(db: Db, what: FactorChange, details?: Record<string, unknown>): Promise<void>;
  /** Call in the transaction that adds the first factor. Ends all sessions but this one. */
  afterTurnedOn(db: Db): Promise<void>;
  /** Gives the session a new id and returns its Set-Cookie value. */
  renewSession(db: Db, origin: Origin): Promise<string>;
};

export const personAccount = (email: string): FactorAccount => ({ kind: "person", email });
export const mailboxAccount = (email: string): FactorAccount => ({ kind: "mailbox", email });
