"use client";

import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { HOME, signInUrl } from "#app/console/next-page.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";

import { type OpenInvitation, useAccept } from "./queries.ts";

/**
 * Joins with a password. The form is the same for new and existing admins, so that it doesn't reveal
 * whether the address already signs in for another company.
 */
export function JoinByPassword({
  invitation,
  token,
}: {
  invitation: OpenInvitation;
  token: string;
}) {
  const accept = useAccept(token);
  const problems = {
    name: fieldError(accept.error, "name", "Name"),
    password: fieldError(accept.error, "password", "Password"),
  };
  const back = signInUrl({ pathname: "/console/invitation", search: "", hash: `#${token}` });

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (accept.isPending || accept.isSuccess) return;
    const form = new FormData(event.currentTarget);
    accept.mutate(
      { name: formText(form, "name"), password: formText(form, "password") },
      { onSuccess: () => window.location.assign(HOME) },
    );
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <TextInput
          name="email"
          label="Email address"
          description="The invitation is for this address."
          autoComplete="username"
          readOnly
          value={invitation.email}
        />
        <TextInput
          name="name"
          label="Your name"
          autoComplete="name"
          autoFocus
          required
          withAsterisk={false}
          defaultValue={invitation.name}
          error={problems.name}
        />
        <PasswordInput
          name="password"
          label="Password"
          description="At least 12 characters. If you already sign in to this server, enter your current password."
          autoComplete="new-password"
          required
          withAsterisk={false}
          error={problems.password}
        />
        {!problems.name && !problems.password && <FormError error={accept.error} />}
        <Button type="submit" size="md" aria-busy={accept.isPending || accept.isSuccess}>
          Join {invitation.company}
        </Button>
        <Text size="sm" c="dimmed">
          Already sign in here with a passkey or a second factor?{" "}
          <Anchor underline="always" href={back}>
            Sign in first
          </Anchor>
          . You’ll return to this page.
        </Text>
      </Stack>
    </form>
  );
}
