"use client";

import { Button } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useEffect, useEffectEvent } from "react";

import { ConsoleError } from "#app/console/console-client.ts";
import { FormError } from "#app/console/ui/form-error.tsx";

import { onSignedInInWindow, type ProviderStart, useSignInInWindow } from "./queries.ts";
import type { SignInArea } from "./sign-in-area.ts";

/**
 * How to sign in again with single sign-on: with the provider of the expired session or, if that began with a password that
 * the company no longer allows, with the one for the address. Null if the password is enough.
 */
export function providerToSignInAgain(
  providerId: string | null | undefined,
  { email, error }: { email: string; error: Error | null },
): ProviderStart | null {
  if (providerId) return { provider_id: providerId };
  const isRejected = error instanceof ConsoleError && error.status === 403;
  return isRejected ? { email } : null;
}

/** For a dialog over a page whose session has expired: signs in at the identity provider, in a new window. */
export function SignInAgainWithProvider({
  area,
  start,
  onSignedIn,
}: {
  area: SignInArea;
  start: ProviderStart;
  onSignedIn: () => void;
}) {
  const signIn = useSignInInWindow(area);
  const handleSignedIn = useEffectEvent(onSignedIn);
  useEffect(() => onSignedInInWindow(() => handleSignedIn()), []);
  return (
    <>
      <FormError error={signIn.error} />
      <Button
        type="button"
        variant="default"
        leftSection={<IconKey size={16} />}
        aria-busy={signIn.isPending}
        data-mantine-stop-propagation="true"
        onClick={() => !signIn.isPending && signIn.mutate(start)}
      >
        Use single sign-on
      </Button>
    </>
  );
}
