"use client";

import { Anchor, Stack, Text, TextInput, Title } from "@mantine/core";
import Link from "next/link";

import { SIGN_IN } from "#app/console/next-page.ts";
import { isEmail } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { useAskForReset } from "./queries.ts";

/** Requests a reset link. The response doesn't reveal whether the address exists. */
export function RequestResetLink() {
  const ask = useAskForReset();
  const form = useForm({
    initialValues: { email: "" },
    labels: { email: "Email address" },
    checks: { email: isEmail },
    draft: null,
    send: ({ email }) => ask.mutateAsync(email),
  });

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
    <Form
      form={form}
      actions={
        <>
          <SubmitButton form={form} size="md">
            Send link
          </SubmitButton>
          <BackToSignIn />
        </>
      }
    >
      <div>
        <Title order={1}>Forgot your password?</Title>
        <Text c="dimmed">
          Enter the address you sign in with. We’ll email you a link to reset your password.
        </Text>
      </div>
      <TextInput {...form.field("email")} type="email" autoComplete="username" autoFocus />
    </Form>
  );
}

function BackToSignIn() {
  return (
    <Anchor component={Link} href={SIGN_IN} size="sm">
      Back to sign-in
    </Anchor>
  );
}
