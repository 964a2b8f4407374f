"use client";

import { Button, PasswordInput, Stack } from "@mantine/core";
import { type SubmitEvent, useRef, useState } from "react";

import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { toast } from "#app/console/ui/toast.tsx";

import { useChangePassword } from "./queries.ts";

export function ChangePassword({ email }: { email: string }) {
  const change = useChangePassword();
  const form = useRef<HTMLFormElement>(null);
  const [isMismatch, setIsMismatch] = useState(false);
  const wrong = fieldError(change.error, "current_password", "Current password");
  const weak = fieldError(change.error, "password", "New password");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const password = formText(fields, "password");
    const isSame = password === formText(fields, "again");
    setIsMismatch(!isSame);
    if (!isSame || change.isPending) return;
    const body = { current_password: formText(fields, "current"), password };
    change.mutate(body, {
      onSuccess: () => {
        form.current?.reset();
        toast("Password changed. You were signed out everywhere else.");
      },
    });
  }

  const common = { required: true, withAsterisk: false } as const;
  return (
    <Panel title="Password">
      <form ref={form} onSubmit={handleSubmit} method="post">
        <Stack gap="md" maw={400}>
          {/* For password managers. */}
          <input name="username" autoComplete="username" defaultValue={email} hidden />
          <PasswordInput
            {...common}
            name="current"
            label="Current password"
            autoComplete="current-password"
            error={wrong}
          />
          <PasswordInput
            {...common}
            name="password"
            label="New password"
            description="At least 12 characters, without your name or company. A few unrelated words are easy to remember."
            autoComplete="new-password"
            error={weak}
          />
          <PasswordInput
            {...common}
            name="again"
            label="Confirm new password"
            autoComplete="new-password"
            error={isMismatch && "Passwords don’t match"}
          />
          {wrong === null && weak === null && <FormError error={change.error} />}
          <div>
            <Button type="submit" aria-busy={change.isPending}>
              Change password
            </Button>
          </div>
        </Stack>
      </form>
    </Panel>
  );
}
