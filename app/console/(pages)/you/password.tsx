"use client";

import { Button, PasswordInput, Stack } from "@mantine/core";
import { type SubmitEvent, useRef, useState } from "react";

import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { textOf } from "#app/console/ui/text-of.ts";
import { toast } from "#app/console/ui/toast.ts";

import { useChangePassword } from "./queries.ts";

/** The old password and the new one, twice. */
export function Password({ email }: { email: string }) {
  const change = useChangePassword();
  const form = useRef<HTMLFormElement>(null);
  const [areDifferent, setAreDifferent] = useState(false);
  const wrong = problemOfField(change.error, "current_password", "This");
  const weak = problemOfField(change.error, "password", "New password");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const password = textOf(fields, "password");
    const isTyped = password === textOf(fields, "again");
    setAreDifferent(!isTyped);
    if (!isTyped || change.isPending) return;
    const body = { current_password: textOf(fields, "current"), password };
    change.mutate(body, {
      onSuccess: () => {
        form.current?.reset();
        toast("Your password was changed. All other sessions have ended.");
      },
    });
  }

  const common = { required: true, withAsterisk: false } as const;
  return (
    <Panel title="Password">
      <form ref={form} onSubmit={handleSubmit} method="post">
        <Stack gap="md" maw={400}>
          {/* For the browser's store of passwords. */}
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
            description="At least 12 characters, without your name or company. Several words make a good one."
            autoComplete="new-password"
            error={weak}
          />
          <PasswordInput
            {...common}
            name="again"
            label="New password again"
            autoComplete="new-password"
            error={areDifferent && "This is another one than above"}
          />
          {wrong === null && weak === null && <FormProblem error={change.error} />}
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
