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

import { AskForLink } from "./ask-for-link.tsx";
import { linkQuery, type ResetLink, useResetPassword } from "./queries.ts";

/** Where the link leads: a new password, or why there is none. */
export function NewPassword({ token }: { token: string }) {
  const link = useQuery({ ...linkQuery(token), refetchOnWindowFocus: false });
  const isOver = link.error instanceof ConsoleError && link.error.status === 404;
  if (isOver)
    return (
      <Stack gap="md">
        <Text role="alert">
          This link is over: it works once, for an hour. Have another one sent.
        </Text>
        <AskForLink />
      </Stack>
    );
  return (
    <QueryView query={link} noun="this link" skeleton={<Skeleton height={280} />}>
      {(link) => <Form token={token} link={link} />}
    </QueryView>
  );
}

function Form({ token, link: { email, keeps_factors } }: { token: string; link: ResetLink }) {
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
        <Title order={1}>Your password is set</Title>
        <Text>Every session of yours has ended. Sign in with the new password.</Text>
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
              ? `For ${email}. A second factor is asked for as before.`
              : `For ${email}. You confirm the address with it: a second factor that somebody set up before is removed.`}
          </Text>
        </div>
        <input name="username" autoComplete="username" defaultValue={email} hidden />
        <PasswordInput
          name="password"
          label="New password"
          description="At least 12 characters. A few unrelated words are easy to keep in mind."
          autoComplete="new-password"
          error={problem}
          autoFocus
          required
          withAsterisk={false}
        />
        <PasswordInput
          name="again"
          label="New password again"
          autoComplete="new-password"
          error={areDifferent && "This is another one than above"}
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
