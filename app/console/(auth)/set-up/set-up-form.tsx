"use client";

import { Button, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useRouter } from "next/navigation";
import type { SubmitEvent } from "react";

import { fieldError, FormError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";

import { type Server, SERVER_STEP, useSetUp } from "./queries.ts";
import classes from "./set-up-form.module.css";

const fields = {
  companyName: { name: "company_name", label: "Company name" },
  ownerName: { name: "owner.name", label: "Your name" },
  email: { name: "owner.email", label: "Email address" },
  password: { name: "owner.password", label: "Password" },
};

export function SetUpForm({ token, server }: { token: string; server: Server }) {
  const router = useRouter();
  const setUp = useSetUp();
  const isBusy = setUp.isPending || setUp.isSuccess;
  const field = ({ name, label }: { name: string; label: string }) => ({
    name,
    label,
    error: fieldError(setUp.error, name, label),
    required: true,
    withAsterisk: false,
  });
  const isFieldProblem = Object.values(fields).some(
    ({ name, label }) => fieldError(setUp.error, name, label) !== null,
  );

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    const form = new FormData(event.currentTarget);
    const text = ({ name }: { name: string }) => formText(form, name);
    const owner = {
      name: text(fields.ownerName),
      email: text(fields.email),
      password: text(fields.password),
    };
    setUp.mutate(
      { token, company_name: text(fields.companyName), owner },
      { onSuccess: () => router.replace(SERVER_STEP) },
    );
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <div>
          <Text size="sm" c="dimmed">
            Step 1 of 2
          </Text>
          <Title order={1}>Set up Posthouse</Title>
          <Text c="dimmed">Create the first company. You’ll be its owner, with full access.</Text>
        </div>
        <TextInput {...field(fields.companyName)} autoComplete="organization" autoFocus />
        <TextInput {...field(fields.ownerName)} autoComplete="name" />
        <TextInput
          {...field(fields.email)}
          type="email"
          autoComplete="username"
          description="You’ll sign in with this address."
        />
        <PasswordInput
          {...field(fields.password)}
          autoComplete="new-password"
          description="At least 12 characters. A few unrelated words are easy to remember."
        />
        <ServerSummary server={server} />
        {!isFieldProblem && <FormError error={setUp.error} />}
        <Button type="submit" size="md" aria-busy={isBusy}>
          Create company
        </Button>
      </Stack>
    </form>
  );
}

/** The hostname from the environment, and how to change it. */
function ServerSummary({ server: { hostname, url, is_local: isLocal } }: { server: Server }) {
  return (
    <section className={classes.server} aria-label="This server">
      <div>
        Hostname <strong>{hostname}</strong>
      </div>
      <Text size="sm" c="dimmed">
        {isLocal
          ? "Local mode: mail stays on this machine. To exchange mail with other servers, set POSTHOUSE_HOSTNAME to this server’s public name, such as mail.example.com, and restart Posthouse."
          : `Other mail servers see this name. The console is at ${url}. To change the name, set POSTHOUSE_HOSTNAME and restart Posthouse before you create domains: their DNS records contain it.`}
      </Text>
    </section>
  );
}
