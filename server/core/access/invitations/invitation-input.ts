import { z } from "zod";

import { Refusal } from "#server/core/shared/refusals.ts";

const EMAIL_MAX = 254;

/** Who is asked, as somebody writes it. */
export type InvitationInput = {
  email: string;
  name: string;
  isOwner: boolean;
  roleIds: string[];
};

/**
 * The address that a person signs in with: lowercase.
 *
 * @throws Refusal `invalid`
 */
export function readSignInAddress(text: string): string {
  const email = text.trim().toLowerCase();
  if (!z.email().max(EMAIL_MAX).safeParse(email).success)
    throw new Refusal("invalid", "email: must look like ann@example.com");
  return email;
}
