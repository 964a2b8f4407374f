import { z } from "zod";

import { Refusal } from "#server/core/shared/refusals.ts";

const EMAIL_MAX = 254;

export type InvitationInput = {
  email: string;
  name: string;
  isOwner: boolean;
  roleIds: string[];
};

/**
 * Parses the address of a sign-in, in lowercase.
 *
 * @throws Refusal `invalid`
 */
export function readSignInAddress(text: string): string {
  const email = text.trim().toLowerCase();
  if (!z.email().max(EMAIL_MAX).safeParse(email).success)
    throw new Refusal("invalid", "email: must be a valid address such as ann@example.com");
  return email;
}
