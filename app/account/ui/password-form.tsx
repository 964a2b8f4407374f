"use client";

import { Button, PasswordInput, Stack } from "@mantine/core";
import { type SubmitEvent, useRef, useState } from "react";

import { useChangePassword } from "#app/account/queries.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";

/**
 * Asks for the current password and the new one, twice.
 *
 * @param currentLabel label of the current password
 */
export function PasswordForm({
  address,
  currentLabel,
  lengthMin,
  onChanged,
}: {
  address: string;
  currentLabel: string;
  lengthMin: number;
  onChanged: () => void;
}) {
  const change = useChangePassword();
  const form = useRef<HTMLFormElement>(null);
  const [areDifferent, setAreDifferent] = useState(false);
  const isCurrentWrong = change.error?.message === "The current password is incorrect";
  const problem = fieldError(change.error, "password", "New password");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const password = formText(fields, "password");
    const isTyped = password === formText(fields, "again");
    setAreDifferent(!isTyped);
    if (!isTyped) return;
    const body = { current_password: formText(fields, "current"), password };
    change.mutate(body, {
      onSuccess: () => {
        form.current?.reset();
        onChanged();
      },
    });
  }

  return (
    <form ref={form} onSubmit={handleSubmit} method="post">
      <Stack gap="md" maw={400}>
        {/* For the browser's password manager. */}
        <input name="username" autoComplete="username" defaultValue={address} hidden />
        <PasswordInput
          name="current"
          label={currentLabel}
          autoComplete="current-password"
          error={isCurrentWrong && "Wrong password"}
          required
          withAsterisk={false}
        />
        <PasswordInput
          name="password"
          label="New password"
          description={`At least ${lengthMin} characters, without your name or address. A few unrelated words are easy to remember.`}
          autoComplete="new-password"
          error={problem}
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
        {!isCurrentWrong && problem === null && <FormError error={change.error} />}
        <div>
          <Button type="submit" aria-busy={change.isPending}>
            Set password
          </Button>
        </div>
      </Stack>
    </form>
  );
}
