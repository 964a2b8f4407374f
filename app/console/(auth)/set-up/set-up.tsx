"use client";

import { Button, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter, useSearchParams } from "next/navigation";
import { useEffect } from "react";

import { useLinkToken } from "#app/console/(auth)/link-token.ts";
import { HOME } from "#app/console/next-page.ts";
import { ServerChecks } from "#app/console/ui/server-checks.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { setUpQuery } from "./queries.ts";
import { SetUpForm } from "./set-up-form.tsx";

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

function OpenSetUpLink({ hasToken }: { hasToken: boolean }) {
  return (
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
}

function SetUpFormSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton height={28} width="60%" />
      {[0, 1, 2, 3].map((field) => (
        <Skeleton key={field} height={62} />
      ))}
      <Skeleton height={42} />
    </Stack>
  );
}

/** Shows the server's checks to its new operator. */
function ServerStep() {
  return (
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
}
