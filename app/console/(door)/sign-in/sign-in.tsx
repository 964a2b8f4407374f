"use client";

import { Button, PasswordInput, Stack, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter, useSearchParams } from "next/navigation";
import { type SubmitEvent, useEffect } from "react";

import { nextPage } from "#app/console/next-page.ts";
import { setUpQuery } from "#app/console/(door)/set-up/queries.ts";
import { useSignIn } from "#app/console/session-queries.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

export function SignIn() {
  const router = useRouter();
  const search = useSearchParams();
  const signIn = useSignIn();
  const setUp = useQuery(setUpQuery(""));

  // Nobody can sign in before the first company is made.
  const isFirstRun = setUp.data !== undefined && setUp.data.state !== "finished";
  useEffect(() => {
    if (isFirstRun) router.replace("/console/set-up");
  }, [isFirstRun, router]);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    signIn.mutate(
      { email: textOf(form, "email"), password: textOf(form, "password") },
      { onSuccess: () => router.replace(nextPage(search.get("next"))) },
    );
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <Title order={1}>Sign in</Title>
        <TextInput
          name="email"
          label="Email address"
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
        />
        <PasswordInput
          name="password"
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
        />
        <FormProblem error={signIn.error} />
        <Button type="submit" size="md" loading={signIn.isPending || signIn.isSuccess}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
