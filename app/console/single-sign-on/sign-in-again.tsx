"use client";

import { Button } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useEffect, useEffectEvent } from "react";

import { FormError } from "#app/console/ui/form-error.tsx";

import { onSignedInInWindow, useSignInInWindow } from "./queries.ts";
import type { SignInArea } from "./sign-in-area.ts";

/** For a dialog over a page whose session has expired: signs in at the identity provider, in a new window. */
export function SignInAgainWithProvider({
  area,
  providerId,
  onSignedIn,
}: {
  area: SignInArea;
  providerId: string;
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
        onClick={() => !signIn.isPending && signIn.mutate(providerId)}
      >
        Use single sign-on
      </Button>
    </>
  );
}
