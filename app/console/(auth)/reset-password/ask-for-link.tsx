"use client";

import { Anchor, Button, Stack, Text, TextInput, Title } from "@mantine/core";
import Link from "next/link";
import type { SubmitEvent } from "react";

import { SIGN_IN } from "#app/console/next-page.ts";
import { FormError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";

import { useAskForReset } from "./queries.ts";

/** Has a link sent. The answer is the same whoever asks. */
export function AskForLink() {
  const ask = useAskForReset();

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!ask.isPending) ask.mutate(formText(new FormData(event.currentTarget), "email"));
  }

  if (ask.isSuccess)
    return (
      <Stack gap="md" role="status">
        <Title order={1}>Look at your mail</Title>
        <Text>
          If somebody signs in with {ask.variables}, a link to a new password is on its way. It
          works once, for an hour.
        </Text>
        <Text c="dimmed" size="sm">
          Nothing there after some minutes? Look among spam, or ask an owner of your company. Who
          runs the server can make a link with <code>posthouse admin reset-password</code>.
        </Text>
        <BackToSignIn />
      </Stack>
    );
  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <div>
          <Title order={1}>Forgot your password?</Title>
          <Text c="dimmed">We send a link to a new one to the address that you sign in with.</Text>
        </div>
        <TextInput
          name="email"
          label="Email address"
          type="email"
          autoComplete="username"
          autoFocus
          required
          withAsterisk={false}
        />
        <FormError error={ask.error} />
        <Button type="submit" size="md" aria-busy={ask.isPending}>
          Send link
        </Button>
        <BackToSignIn />
      </Stack>
    </form>
  );
}

function BackToSignIn() {
  return (
    <Anchor component={Link} href={SIGN_IN} size="sm">
      Back to signing in
    </Anchor>
  );
}
