"use client";

import { Button, PasswordInput, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { ConsoleError } from "#app/console/console-client.ts";
import { SIGN_IN } from "#app/console/next-page.ts";
import { repeats, required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { QueryView } from "#app/console/ui/query-view.tsx";

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
  link: { email, keepsFactors },
}: {
  token: string;
  link: ResetLink;
}) {
  const reset = useResetPassword();
  const form = useForm({
    initialValues: { password: "", again: "" },
    labels: { password: "New password", again: "Confirm new password" },
    checks: { password: required, again: repeats("password") },
    draft: null,
    send: ({ password }) => reset.mutateAsync({ token, password }),
    clearsOnDone: true,
  });

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
    <Form
      form={form}
      actions={
        <SubmitButton form={form} size="md">
          Set password
        </SubmitButton>
      }
    >
      <div>
        <Title order={1}>Set a new password</Title>
        <Text c="dimmed">
          {keepsFactors
            ? `For ${email}. You’ll still need your second factor to sign in.`
            : `For ${email}. This also verifies the address and removes any second factor set up before.`}
        </Text>
      </div>
      <input name="username" autoComplete="username" defaultValue={email} hidden />
      <PasswordInput
        {...form.field("password")}
        description="At least 12 characters. A few unrelated words are easy to remember."
        autoComplete="new-password"
        autoFocus
      />
      <PasswordInput {...form.field("again")} autoComplete="new-password" />
    </Form>
  );
}
