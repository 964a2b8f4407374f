"use client";

import { Anchor, Button, Stack, Text, TextInput, Title } from "@mantine/core";
import Link from "next/link";
import type { SubmitEvent } from "react";

import { SIGN_IN } from "#app/console/next-page.ts";
import { FormError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";

import { useAskForReset } from "./queries.ts";

/** Requests a reset link. The response doesn't reveal whether the address exists. */
export function RequestResetLink() {
  const ask = useAskForReset();

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!ask.isPending) ask.mutate(formText(new FormData(event.currentTarget), "email"));
  }

  if (ask.isSuccess)
    return (
      <Stack gap="md" role="status">
        <Title order={1}>Check your email</Title>
        <Text>
          If an admin signs in with {ask.variables}, we’ve sent a link to reset the password. It
          works once and expires in an hour.
        </Text>
        <Text c="dimmed" size="sm">
          No email after a few minutes? Check your spam folder, or ask an owner of your company. The
          server’s operator can create a link with <code>posthouse admin reset-password</code>.
        </Text>
        <BackToSignIn />
      </Stack>
    );
  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <div>
          <Title order={1}>Forgot your password?</Title>
          <Text c="dimmed">
            Enter the address you sign in with. We’ll email you a link to reset your password.
          </Text>
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
      Back to sign-in
    </Anchor>
  );
}
