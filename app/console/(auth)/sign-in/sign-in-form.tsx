"use client";

import { Anchor, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import Link from "next/link";
import { type SubmitEvent, useId, useSyncExternalStore } from "react";

import { hasPasskeys } from "#app/console/passkeys.ts";
import { type AskedFactors, usePasskeySignIn, useSignIn } from "#app/console/session-queries.ts";
import { CONSOLE } from "#app/console/single-sign-on/sign-in-area.ts";
import { SingleSignOnButton } from "#app/console/single-sign-on/single-sign-on-button.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { formText } from "#app/console/ui/form/use-form.ts";

import classes from "./sign-in-form.module.css";

export function SignInForm({
  onSignedIn,
  onAsked,
}: {
  onSignedIn: () => void;
  onAsked: (asked: AskedFactors) => void;
}) {
  const formId = useId();
  const signIn = useSignIn();
  const isBusy = signIn.isPending || signIn.isSuccess;

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    const form = new FormData(event.currentTarget);
    signIn.mutate(
      { email: formText(form, "email"), password: formText(form, "password") },
      {
        onSuccess: ({ secondFactor }) => (secondFactor ? onAsked(secondFactor) : onSignedIn()),
      },
    );
  }

  return (
    <>
      <form id={formId} onSubmit={handleSubmit} method="post">
        <Stack gap="md">
          <TextInput
            name="email"
            label="Email address"
            type="email"
            autoComplete="username"
            autoFocus
            required
            withAsterisk={false}
          />
          <div>
            <PasswordInput
              name="password"
              label="Password"
              autoComplete="current-password"
              required
              withAsterisk={false}
            />
            <Anchor
              component={Link}
              href="/console/reset-password"
              size="sm"
              className={classes.forgotten}
            >
              Forgot your password?
            </Anchor>
          </div>
          <FormError error={signIn.error} />
          <Button type="submit" size="md" aria-busy={isBusy}>
            {isBusy ? "Signing in…" : "Sign in"}
          </Button>
        </Stack>
      </form>
      <div className={classes.or} aria-hidden="true">
        or
      </div>
      <PasskeySignIn onSignedIn={onSignedIn} />
      <SingleSignOnButton area={CONSOLE} formId={formId} field="email" />
    </>
  );
}

const never = () => () => {};

function PasskeySignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const isPossible = useSyncExternalStore(never, hasPasskeys, () => false);
  const signIn = usePasskeySignIn();
  if (!isPossible) return null;
  return (
    <>
      <FormError error={signIn.error} />
      <Button
        variant="default"
        size="md"
        leftSection={<IconFingerprint size={16} />}
        aria-busy={signIn.isPending}
        onClick={() => signIn.mutate(undefined, { onSuccess: onSignedIn })}
      >
        Use a passkey instead
      </Button>
    </>
  );
}
