"use client";

import { Button, PasswordInput, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { type SubmitEvent, useState } from "react";

import { ConsoleError } from "#app/console/console-client.ts";
import { SIGN_IN } from "#app/console/next-page.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { formText } from "#app/console/ui/form-text.ts";

import { RequestResetLink } from "./request-reset-link.tsx";
import { linkQuery, type ResetLink, useResetPassword } from "./queries.ts";

export function SetNewPassword({ token }: { token: string }) {
  const link = useQuery({ ...linkQuery(token), refetchOnWindowFocus: false });
  const isExpired = link.error instanceof ConsoleError && link.error.status === 404;
  if (isExpired)
    return (
      <Stack gap="md">
        <Text role="alert">This link has expired or was already used. Request a new one.</Text>
        <RequestResetLink />
      </Stack>
    );
  return (
    <QueryView query={link} noun="this link" skeleton={<Skeleton height={280} />}>
      {(link) => <SetNewPasswordForm token={token} link={link} />}
    </QueryView>
  );
}

function SetNewPasswordForm({
  token,
  link: { email, keeps_factors },
}: {
  token: string;
  link: ResetLink;
}) {
  const reset = useResetPassword();
  const [areDifferent, setAreDifferent] = useState(false);
  const problem = fieldError(reset.error, "password", "New password");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const password = formText(form, "password");
    const isTyped = password === formText(form, "again");
    setAreDifferent(!isTyped);
    if (isTyped && !reset.isPending) reset.mutate({ token, password });
  }

  if (reset.isSuccess)
    return (
      <Stack gap="md" role="status">
        <Title order={1}>Password changed</Title>
        <Text>You were signed out everywhere. Sign in with the new password.</Text>
        <Button component={Link} href={SIGN_IN} size="md">
          Sign in
        </Button>
      </Stack>
    );
  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <div>
          <Title order={1}>Set a new password</Title>
          <Text c="dimmed">
            {keeps_factors
              ? `For ${email}. You’ll still need your second factor to sign in.`
              : `For ${email}. This also verifies the address and removes any second factor set up before.`}
          </Text>
        </div>
        <input name="username" autoComplete="username" defaultValue={email} hidden />
        <PasswordInput
          name="password"
          label="New password"
          description="At least 12 characters. A few unrelated words are easy to remember."
          autoComplete="new-password"
          error={problem}
          autoFocus
          required
          withAsterisk={false}
        />
        <PasswordInput
          name="again"
          label="Confirm new password"
          autoComplete="new-password"
          error={areDifferent && "Passwords don’t match"}
          required
          withAsterisk={false}
        />
        {problem === null && <FormError error={reset.error} />}
        <Button type="submit" size="md" aria-busy={reset.isPending}>
          Set password
        </Button>
      </Stack>
    </form>
  );
}
