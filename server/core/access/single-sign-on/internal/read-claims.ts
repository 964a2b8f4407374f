import { Refusal } from "#server/core/shared/refusals.ts";

import { isEntra, isGoogle } from "./connect-provider.ts";

export type Claims = { readonly [name: string]: unknown; readonly sub: string };

/** The user that the provider signed in. */
export type Identity = {
  subject: string;
  /** Lowercase; null if the provider doesn't vouch for it. */
  email: string | null;
};

/**
 * Reads an ID token whose signature, issuer, audience and lifetime are verified. Anyone can have an account at
 * Google, and guests at Entra, so those must show that they belong to the company.
 *
 * @param companyDomains the names whose ownership the company has verified
 * @throws Refusal `not_allowed` for an account from outside the company
 */
export function readClaims(
  issuer: string,
  claims: Claims,
  companyDomains: ReadonlySet<string>,
): Identity {
  if (isGoogle(issuer)) requireWorkspace(claims, companyDomains);
  if (isEntra(issuer)) requireMember(claims);
  return { subject: claims.sub, email: verifiedEmail(issuer, claims) };
}

/** `hd` is the primary domain of the account's Google Workspace; personal accounts have none. */
function requireWorkspace({ hd }: Claims, companyDomains: ReadonlySet<string>): void {
  if (typeof hd !== "string")
    throw new Refusal("not_allowed", "This is a personal Google account. Use your work account");
  if (!companyDomains.has(hd.toLowerCase()))
    throw new Refusal(
      "not_allowed",
      `Your Google account belongs to ${hd}, whose ownership this company hasn't verified. If ${hd} is your company's domain, ask an owner to create it under Domains and verify it`,
    );
}

/** `acct` is an optional claim: 0 for members of the tenant, 1 for guests. */
function requireMember({ acct }: Claims): void {
  if (acct === undefined)
    throw new Refusal(
      "not_allowed",
      "Microsoft Entra didn't say whether you're a guest. Ask its admin to add the optional claim acct to the ID token of the app registration",
    );
  if (acct !== 0 && acct !== "0")
    throw new Refusal(
      "not_allowed",
      "Guests of your company's Microsoft Entra tenant can't sign in. Use a member's account",
    );
}

function verifiedEmail(issuer: string, claims: Claims): string | null {
  const { email, email_verified: isVerified, xms_edov: isDomainOwned } = claims;
  // Keycloak and Google send booleans, some others text; `xms_edov` is a boolean, 1 or "1".
  const isTrusted = isTrue(isVerified) || (isEntra(issuer) && isTrue(isDomainOwned));
  if (isTrusted && typeof email === "string") return email.trim().toLowerCase();
  // A member's user name is at a domain that the tenant has verified. Other attributes can be anything.
  const { preferred_username: userName } = claims;
  if (isEntra(issuer) && typeof userName === "string") return userName.trim().toLowerCase();
  return null;
}

const isTrue = (claim: unknown) => claim === true || ["true", "1"].includes(String(claim));
