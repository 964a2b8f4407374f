"use client";

import { Anchor, PasswordInput, Text, TextInput } from "@mantine/core";

import { signInUrl } from "#app/console/next-page.ts";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { type OpenInvitation, useAccept } from "./queries.ts";

/**
 * Joins with a password. The form is the same for new and existing admins, so that it doesn't reveal
 * whether the address already signs in for another company.
 */
export function JoinByPassword({
  invitation,
  token,
}: {
  invitation: OpenInvitation;
  token: string;
}) {
  const accept = useAccept(token);
  const form = useForm({
    initialValues: { name: invitation.name, password: "" },
    labels: { name: "Name", password: "Password" },
    checks: { name: required, password: required },
    draft: null,
    send: accept.run,
    leavesPage: true,
  });
  const back = signInUrl({ pathname: "/console/invitation", search: "", hash: `#${token}` });

  return (
    <Form
      form={form}
      actions={
        <>
          <SubmitButton form={form} size="md">
            Join {invitation.company}
          </SubmitButton>
          <Text size="sm" c="dimmed">
            Already sign in here with a passkey or a second factor?{" "}
            <Anchor underline="always" href={back}>
              Sign in first
            </Anchor>
            . You’ll return to this page.
          </Text>
        </>
      }
    >
      <TextInput
        name="email"
        label="Email address"
        description="The invitation is for this address."
        autoComplete="username"
        readOnly
        value={invitation.email}
      />
      <TextInput {...form.field("name")} label="Your name" autoComplete="name" autoFocus />
      <PasswordInput
        {...form.field("password")}
        description="At least 12 characters. If you already sign in to this server, enter your current password."
        autoComplete="new-password"
      />
    </Form>
  );
}
