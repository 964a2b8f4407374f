"use client";

import { PasswordInput } from "@mantine/core";

import { repeats, required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

/**
 * Asks for the current password and the new one, twice.
 *
 * @param currentLabel label of the current password
 * @param asksCurrent false if `send` knows the current password, or needs none
 */
export function PasswordForm({
  address,
  currentLabel = "Current password",
  asksCurrent = true,
  lengthMin,
  send,
  onChanged,
}: {
  address: string;
  currentLabel?: string;
  asksCurrent?: boolean;
  lengthMin: number;
  send: (passwords: { current_password: string; password: string }) => Promise<unknown>;
  onChanged: () => void;
}) {
  const form = useForm({
    initialValues: { current_password: "", password: "", again: "" },
    labels: {
      current_password: currentLabel,
      ...{ password: "New password", again: "Confirm new password" },
    },
    checks: {
      ...(asksCurrent && { current_password: required }),
      ...{ password: required, again: repeats("password") },
    },
    draft: null,
    send: ({ current_password, password }) => send({ current_password, password }),
    onDone: onChanged,
    clearsOnDone: true,
  });

  return (
    <Form
      form={form}
      maxWidth={400}
      actions={
        <div>
          <SubmitButton form={form}>Set password</SubmitButton>
        </div>
      }
    >
      {/* For the browser's password manager. */}
      <input name="username" autoComplete="username" defaultValue={address} hidden />
      {asksCurrent && (
        <PasswordInput {...form.field("current_password")} autoComplete="current-password" />
      )}
      <PasswordInput
        {...form.field("password")}
        description={`At least ${lengthMin} characters, without your name or address. A few unrelated words are easy to remember.`}
        autoComplete="new-password"
      />
      <PasswordInput {...form.field("again")} autoComplete="new-password" />
    </Form>
  );
}
