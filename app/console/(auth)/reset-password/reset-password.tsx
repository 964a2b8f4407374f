"use client";

import {
  Anchor,
  Button,
  PasswordInput,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { useLinkToken } from "#app/console/(auth)/link-token.ts";
import { type AnswerOf, change, ConsoleError } from "#app/console/console-client.ts";
import { SIGN_IN } from "#app/console/next-page.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { looksLikeAddress, repeats, required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { QueryView } from "#app/console/ui/query-view.tsx";

export function ResetPassword() {
  const token = useLinkToken();
  if (token === null) return null;
  return token === "" ? <RequestResetLink /> : <SetNewPassword token={token} />;
}

/** Requests a reset link. The response doesn't reveal whether the address exists. */
function RequestResetLink() {
  const ask = useChange("passwordReset.requestReset");
  const form = useForm({
    initialValues: { email: "" },
    labels: { email: "Email address" },
    checks: { email: looksLikeAddress },
    draft: null,
    send: (body) => ask.run({ body }),
  });

  if (ask.answer)
    return (
      <Stack gap="md" role="status">
        <Title order={1}>Check your email</Title>
        <Text>
          If an admin signs in with {ask.variables?.body.email}, we’ve sent a link to reset the
          password. It works once and expires in an hour.
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

const BackToSignIn = () => (
  <Anchor component={Link} href={SIGN_IN} size="sm">
    Back to sign-in
  </Anchor>
);

function SetNewPassword({ token }: { token: string }) {
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

type SetNewPasswordFormProps = { token: string; link: ResetLink };

function SetNewPasswordForm({ token, link: { email, keepsFactors } }: SetNewPasswordFormProps) {
  const reset = useChange("passwordReset.resetOwnPassword");
  const form = useForm({
    initialValues: { password: "", again: "" },
    labels: { password: "New password", again: "Confirm new password" },
    checks: { password: required, again: repeats("password") },
    draft: null,
    send: ({ password }) => reset.run({ body: { token, password } }),
    clearsOnDone: true,
  });

  if (reset.answer)
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
            : `For ${email}. Setting a password also confirms this address and removes any existing second factor.`}
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

type ResetLink = AnswerOf<"passwordReset.checkResetLink">;

/** The admin whose password the link resets. */
const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ["reset-link", token],
    queryFn: () =>
      change("passwordReset.checkResetLink", {
        body: { token },
      }),
    staleTime: Infinity,
    gcTime: 0,
  });
