import { ConsoleError } from "#app/console/console-client.ts";

import type { ProviderStart } from "./queries.ts";

/**
 * How to sign in again with single sign-on: with the provider of the expired session or, if that began with a password that
 * the company no longer allows, with the one for the address. Null if the password is enough.
 */
export function providerToSignInAgain(
  providerId: string | null | undefined,
  { email, error }: { email: string; error: Error | null },
): ProviderStart | null {
  if (providerId) return { providerId };
  const isRejected = error instanceof ConsoleError && error.status === 403;
  return isRejected ? { email } : null;
}
