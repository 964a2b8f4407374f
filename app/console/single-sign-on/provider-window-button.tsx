"use client";

import { Button } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useEffect, useEffectEvent } from "react";

import { FormError } from "#app/console/ui/errors.tsx";

import { onSignedInInWindow, type StartAtProvider, useSignInInWindow } from "./queries.ts";

/** Signs in at the identity provider in a new window, so that the page keeps what was typed. */
export function ProviderWindowButton({
  start,
  onSignedIn,
}: {
  start: StartAtProvider;
  onSignedIn: () => void;
}) {
  const signIn = useSignInInWindow();
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
