import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useEffect, useEffectEvent, useState } from "react";

import { HOME, signInUrl } from "./next-page.ts";
import { SecondFactorStep } from "./second-factors/second-factor-step.tsx";
import { type AskedFactors, type Me, meQuery, useSignIn, useWhoAmI } from "./session.ts";
import { setSessionExpired } from "./session-expiry.ts";
import { CONSOLE, providerToSignInAgain, startSingleSignOn } from "./single-sign-on/queries.ts";
import { ProviderWindowButton } from "./single-sign-on/buttons.tsx";
import { clearDrafts } from "./ui/form/drafts.ts";
import { FormError } from "./ui/errors.tsx";
import { formText } from "./ui/form/form-text.ts";

const ABOVE_ALL_DIALOGS = 1000;
/** Keeps Escape from closing a dialog underneath. */
const stopKeys = { "data-mantine-stop-propagation": "true" };

/**
 * Shown over a page whose session has ended. After signing in, the admin continues with the page and its
 * form input. Another admin, or the same one in another company, goes to the overview instead.
 */
export function SignInAgainDialog() {
  const queryClient = useQueryClient();
  const before = queryClient.getQueryData(meQuery.queryKey);
  const signIn = useSignIn();
  const whoAmI = useWhoAmI();
  const [asked, setAsked] = useState<AskedFactors | null>(null);
  const email = before?.email ?? "";
  const start = providerToSignInAgain(before?.providerId, { email, error: signIn.error });

  function resume(now: Me) {
    const isSameAdmin = now.email === before?.email && now.company.id === before.company.id;
    if (!isSameAdmin) {
      clearDrafts();
      window.location.assign(HOME);
      return;
    }
    setSessionExpired(false);
    void queryClient.invalidateQueries();
  }

  const checkIdentity = () => whoAmI.mutate(undefined, { onSuccess: resume });

  // The admin may have signed in in another tab.
  const checkAgain = useEffectEvent(checkIdentity);
  useEffect(() => {
    const onFocus = () => checkAgain();
    window.addEventListener("focus", onFocus);
    document.addEventListener("visibilitychange", onFocus);
    return () => {
      window.removeEventListener("focus", onFocus);
      document.removeEventListener("visibilitychange", onFocus);
    };
  }, []);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const credentials = { email: formText(form, "email"), password: formText(form, "password") };
    signIn.mutate(credentials, {
      onSuccess: ({ secondFactor }) => {
        if (secondFactor) setAsked(secondFactor);
        else checkIdentity();
      },
    });
  }

  return (
    <Modal
      opened
      onClose={() => {}}
      title="Sign in again"
      size="sm"
      zIndex={ABOVE_ALL_DIALOGS}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      {asked && (
        <SecondFactorStep
          asked={asked}
          onSignedIn={checkIdentity}
          onRestart={() => setAsked(null)}
        />
      )}
      <form onSubmit={handleSubmit} method="post" hidden={asked !== null}>
        <Stack gap="md">
          <Text>
            Your session has expired. Sign in as <b>{email}</b> to continue. Your unsaved changes
            are kept.
          </Text>
          <input type="hidden" name="email" autoComplete="username" value={email} />
          <PasswordInput
            name="password"
            label="Password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus
            {...stopKeys}
          />
          <FormError error={signIn.error ?? whoAmI.error} />
          {start && (
            <ProviderWindowButton
              start={() => startSingleSignOn(CONSOLE, start)}
              onSignedIn={checkIdentity}
            />
          )}
          <Group justify="space-between">
            <Anchor size="sm" href={signInUrl(window.location)} {...stopKeys}>
              Leave page
            </Anchor>
            <Button type="submit" aria-busy={signIn.isPending} {...stopKeys}>
              {signIn.isPending ? "Signing in…" : "Sign in"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
