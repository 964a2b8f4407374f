"use client";

import { PasswordInput } from "@mantine/core";

import {
  type OwnPassword,
  PasswordField,
  passwordGiven,
} from "#app/console/second-factors/password-field.tsx";
import { repeats, required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

/** `currentPassword` is null if the identity provider has verified the user instead. */
export type NewPassword = { currentPassword: OwnPassword; password: string };

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
  send: (passwords: NewPassword) => Promise<unknown>;
  onChanged: () => void;
}) {
  const form = useForm({
    initialValues: { currentPassword: "", password: "", again: "" },
    labels: {
      currentPassword: currentLabel,
      password: "New password",
      again: "Confirm new password",
    },
    checks: {
      ...(asksCurrent && { currentPassword: passwordGiven }),
      password: required,
      again: repeats("password"),
    },
    draft: null,
    send: ({ currentPassword, password }) => send({ currentPassword, password }),
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
      {asksCurrent && <PasswordField label={currentLabel} field={form.field("currentPassword")} />}
      <PasswordInput
        {...form.field("password")}
        description={`At least ${lengthMin} characters, without your name or address. A few unrelated words are easy to remember.`}
        autoComplete="new-password"
      />
      <PasswordInput {...form.field("again")} autoComplete="new-password" />
    </Form>
  );
}
