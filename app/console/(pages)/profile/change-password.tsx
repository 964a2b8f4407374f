"use client";

import { PasswordInput } from "@mantine/core";

import { repeats, required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { useChangePassword } from "./queries.ts";

export function ChangePassword({ email }: { email: string }) {
  const change = useChangePassword();
  const form = useForm({
    initialValues: { currentPassword: "", password: "", again: "" },
    labels: {
      currentPassword: "Current password",
      password: "New password",
      again: "Confirm new password",
    },
    checks: { currentPassword: required, password: required, again: repeats("password") },
    draft: null,
    send: ({ currentPassword, password }) => change.mutateAsync({ currentPassword, password }),
    onDone: () => toast("Password changed. You were signed out everywhere else."),
    clearsOnDone: true,
  });

  return (
    <Panel title="Password">
      <Form
        form={form}
        maxWidth={400}
        actions={
          <div>
            <SubmitButton form={form}>Change password</SubmitButton>
          </div>
        }
      >
        {/* For password managers. */}
        <input name="username" autoComplete="username" defaultValue={email} hidden />
        <PasswordInput {...form.field("currentPassword")} autoComplete="current-password" />
        <PasswordInput
          {...form.field("password")}
          description="At least 12 characters, without your name or company. A few unrelated words are easy to remember."
          autoComplete="new-password"
        />
        <PasswordInput {...form.field("again")} autoComplete="new-password" />
      </Form>
    </Panel>
  );
}
