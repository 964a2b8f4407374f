import { Refusal } from "#server/core/shared/refusals.ts";

import type { Identity } from "./internal/read-claims.ts";

export type { Identity };

/** The accounts that a provider can sign in, such as the admins of its company. */
type LinkableAccounts = {
  /**
   * The address of the account that is linked to the identity's subject.
   *
   * @throws Refusal `not_allowed` if it can't sign in
   */
  findLinked: () => Promise<string | null>;
  /**
   * Links the account with this address; false if it or the subject is linked already.
   *
   * @throws Refusal `not_allowed` if there is no such account, or it can't sign in
   */
  link: (email: string) => Promise<boolean>;
  /** Who can unlink an account, for the error message. */
  howToUnlink: string;
};

/**
 * Finds an account by the provider's permanent identifier, or at the first sign-in by address, and links it. Later, other
 * accounts with the address are rejected.
 *
 * @returns the account's address
 * @throws Refusal `not_allowed`
 */
export async function identifyAccount(
  { email }: Identity,
  { findLinked, link, howToUnlink }: LinkableAccounts,
): Promise<string> {
  const linked = await findLinked();
  if (linked !== null) return linked;
  if (email === null)
    throw new Refusal(
      "not_allowed",
      "Your identity provider hasn't verified your email address. Ask its admin to set the claims email and email_verified",
    );
  if (await link(email)) return email;
  // The same account may have signed in twice at the same time.
  const meanwhile = await findLinked();
  if (meanwhile !== null) return meanwhile;
  throw new Refusal(
    "not_allowed",
    `Another account at your identity provider is linked to ${email}. ${howToUnlink}`,
  );
}
