"use client";

import { Button, PasswordInput, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter, useSearchParams } from "next/navigation";
import { useEffect } from "react";

import { useLinkToken } from "#app/console/(auth)/link-token.ts";
import { type AnswerOf, change } from "#app/console/console-client.ts";
import { HOME } from "#app/console/next-page.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { ServerChecks } from "#app/console/ui/server-checks.tsx";

import classes from "./set-up-form.module.css";

export function SetUpServer() {
  const router = useRouter();
  const search = useSearchParams();
  const hashToken = useLinkToken();
  // Older versions printed links with the token in the query.
  const token = hashToken || (search.get("token") ?? "");
  const isServerStep = search.get("step") === "server";
  const setUp = useQuery({
    ...setUpQuery(token),
    refetchOnWindowFocus: false,
    enabled: !isServerStep && hashToken !== null,
  });

  const isFinished = setUp.data?.state === "finished" && !isServerStep;
  useEffect(() => {
    if (isFinished) router.replace("/console/sign-in");
  }, [isFinished, router]);

  if (isServerStep) return <ServerStep />;
  return (
    <QueryView query={setUp} noun="setup" skeleton={<SetUpFormSkeleton />}>
      {({ state, server }) =>
        state === "token_needed" ? (
          <OpenSetUpLink hasToken={token !== ""} />
        ) : server ? (
          <SetUpForm token={token} server={server} />
        ) : (
          <SetUpFormSkeleton />
        )
      }
    </QueryView>
  );
}

const OpenSetUpLink = ({ hasToken }: { hasToken: boolean }) => (
  <Stack gap="xs">
    <Title order={1}>{hasToken ? "This link isn’t valid" : "Open the setup link"}</Title>
    <Text>
      This server isn’t set up yet. <code>posthouse start</code> prints a setup link next to “Set
      up”. Open that link.
    </Text>
    <Text c="dimmed">
      If Posthouse runs as a service, find the link in its log. A restart prints it again.
    </Text>
  </Stack>
);

const SetUpFormSkeleton = () => (
  <Stack gap="md">
    <Skeleton height={28} width="60%" />
    {[0, 1, 2, 3].map((field) => (
      <Skeleton key={field} height={62} />
    ))}
    <Skeleton height={42} />
  </Stack>
);

/** Shows the server's checks to its new operator. */
const ServerStep = () => (
  <Stack gap="lg" data-wide>
    <div>
      <Text size="sm" c="dimmed">
        Step 2 of 2
      </Text>
      <Title order={1}>Check that the server is ready</Title>
      <Text c="dimmed">You can fix problems later. The same checks are on the Health page.</Text>
    </div>
    <ServerChecks />
    <div>
      <Button component={Link} href={HOME} size="md">
        Open the console
      </Button>
    </div>
  </Stack>
);

function SetUpForm({ token, server }: { token: string; server: Server }) {
  const router = useRouter();
  const setUp = useChange("setUp.setUp");
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
    send: ({ companyName, ...owner }) => setUp.run({ body: { token, companyName, owner } }),
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
const ServerSummary = ({ server: { hostname, url, isLocal } }: { server: Server }) => (
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

type Server = NonNullable<AnswerOf<"setUp.getSetUp">["server"]>;

/** Shown after the first company is created. */
const SERVER_STEP = "/console/set-up?step=server";

export const setUpQuery = (token: string) =>
  queryOptions({
    queryKey: ["set-up", token],
    queryFn: () => change("setUp.getSetUp", { body: { token } }),
  });
