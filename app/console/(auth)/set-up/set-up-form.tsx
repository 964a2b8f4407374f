"use client";

import { PasswordInput, Text, TextInput, Title } from "@mantine/core";
import { useRouter } from "next/navigation";

import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { type Server, SERVER_STEP, useSetUp } from "./queries.ts";
import classes from "./set-up-form.module.css";

export function SetUpForm({ token, server }: { token: string; server: Server }) {
  const router = useRouter();
  const setUp = useSetUp();
  const form = useForm({
    initialValues: { companyName: "", name: "", email: "", password: "" },
    labels: {
      companyName: "Company name",
      name: "Your name",
      email: "Email address",
      password: "Password",
    },
    checks: { companyName: required, name: required, email: required, password: required },
    draft: "set-up",
    send: ({ companyName, ...owner }) => setUp.mutateAsync({ token, companyName, owner }),
    within: "owner",
    onDone: () => router.replace(SERVER_STEP),
    leavesPage: true,
  });

  return (
    <Form
      form={form}
      actions={
        <SubmitButton form={form} size="md">
          Create company
        </SubmitButton>
      }
    >
      <div>
        <Text size="sm" c="dimmed">
          Step 1 of 2
        </Text>
        <Title order={1}>Set up Posthouse</Title>
        <Text c="dimmed">Create the first company. You’ll be its owner, with full access.</Text>
      </div>
      <TextInput {...form.field("companyName")} autoComplete="organization" autoFocus />
      <TextInput {...form.field("name")} autoComplete="name" />
      <TextInput
        {...form.field("email")}
        type="email"
        autoComplete="username"
        description="You’ll sign in with this address."
      />
      <PasswordInput
        {...form.field("password")}
        autoComplete="new-password"
        description="At least 12 characters. A few unrelated words are easy to remember."
      />
      <ServerSummary server={server} />
    </Form>
  );
}

/** The hostname from the environment, and how to change it. */
function ServerSummary({ server: { hostname, url, isLocal } }: { server: Server }) {
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
