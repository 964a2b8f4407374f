"use client";

import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import { HOME, signInUrl } from "./next-page.ts";
import { SecondStep } from "./second-step.tsx";
import { type AskedFactors, type Me, meQuery, useSignIn, useWhoAmI } from "./session-queries.ts";
import { sessionIsOver } from "./session-over.ts";
import { FormProblem } from "./ui/form-problem.tsx";
import { textOf } from "./ui/text-of.ts";

/** Above every other dialog, and what Escape does in those is not theirs here. */
const OVER_ALL = 1000;
const ownKeys = { "data-mantine-stop-propagation": "true" };

/**
 * Over a page whose session is over: the same person signs in, and the page goes on as it was, with all
 * that was typed. Should it be another one, or another company, nothing of the page is theirs.
 */
export function SignInAgain() {
  const queryClient = useQueryClient();
  const before = queryClient.getQueryData(meQuery.queryKey);
  const signIn = useSignIn();
  const whoAmI = useWhoAmI();
  const enter = () => whoAmI.mutate(undefined, { onSuccess: goOn });
  const [asked, setAsked] = useState<AskedFactors | null>(null);

  function goOn(now: Me) {
    const isSame = now.email === before?.email && now.company.id === before.company.id;
    if (!isSame) {
      window.location.assign(HOME);
      return;
    }
    sessionIsOver(false);
    void queryClient.invalidateQueries();
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const given = { email: textOf(form, "email"), password: textOf(form, "password") };
    signIn.mutate(given, {
      onSuccess: ({ second_factor }) => {
        if (second_factor) setAsked(second_factor);
        else enter();
      },
    });
  }

  return (
    <Modal
      opened
      onClose={() => {}}
      title="Sign in again"
      size="sm"
      zIndex={OVER_ALL}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
    >
      {asked && <SecondStep asked={asked} onSignedIn={enter} onOver={() => setAsked(null)} />}
      <form onSubmit={handleSubmit} method="post" hidden={asked !== null}>
        <Stack gap="md">
          <Text>
            Your session has ended. Sign in as <b>{before?.email}</b> to go on: what is on the page
            stays as it is.
          </Text>
          <input type="hidden" name="email" autoComplete="username" value={before?.email ?? ""} />
          <PasswordInput
            name="password"
            label="Password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus
            {...ownKeys}
          />
          <FormProblem error={signIn.error ?? whoAmI.error} />
          <Group justify="space-between">
            <Anchor size="sm" href={signInUrl(window.location)} {...ownKeys}>
              Leave the page
            </Anchor>
            <Button type="submit" aria-busy={signIn.isPending} {...ownKeys}>
              {signIn.isPending ? "Signing in" : "Sign in"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
