"use client";

import { Anchor, Button, PasswordInput, Stack, TextInput, Title } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter, useSearchParams } from "next/navigation";
import { type SubmitEvent, useEffect, useId, useState, useSyncExternalStore } from "react";

import { setUpQuery } from "#app/console/(auth)/set-up/set-up.tsx";
import { nextPage } from "#app/console/next-page.ts";
import { hasPasskeys } from "#app/console/passkeys.ts";
import { SecondFactorStep } from "#app/console/second-factors/second-factor-step.tsx";
import { type AskedFactors, usePasskeySignIn, useSignIn } from "#app/console/session.ts";
import { CONSOLE } from "#app/console/single-sign-on/queries.ts";
import { SingleSignOnButton } from "#app/console/single-sign-on/buttons.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { formText } from "#app/console/ui/form/form-text.ts";

import classes from "./sign-in-form.module.css";

export function SignIn() {
  const router = useRouter();
  const queryClient = useQueryClient();
  const search = useSearchParams();
  const setUp = useQuery(setUpQuery(""));
  const [asked, setAsked] = useState<AskedFactors | null>(null);

  // Before the first company exists there is no one to sign in.
  const isFirstRun = setUp.data !== undefined && setUp.data.state !== "finished";
  useEffect(() => {
    if (isFirstRun) router.replace("/console/set-up");
  }, [isFirstRun, router]);

  function enter() {
    // Drop data cached for an earlier session, perhaps of another admin.
    queryClient.removeQueries();
    const { hash } = window.location;
    const next = nextPage(search.get("next"), hash);
    // The router sets the hash too late for the page that reads it.
    if (hash) window.location.replace(next);
    else router.replace(next);
  }

  return (
    <Stack gap="md">
      <Title order={1}>{asked ? "Verify it’s you" : "Sign in"}</Title>
      {asked ? (
        <SecondFactorStep asked={asked} onSignedIn={enter} onRestart={() => setAsked(null)} />
      ) : (
        <SignInForm onSignedIn={enter} onAsked={setAsked} />
      )}
    </Stack>
  );
}

type SignInFormProps = { onSignedIn: () => void; onAsked: (asked: AskedFactors) => void };

function SignInForm({ onSignedIn, onAsked }: SignInFormProps) {
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
