"use client";

import { Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter, useSearchParams } from "next/navigation";
import { useEffect } from "react";

import { useLinkToken } from "#app/console/(auth)/link-token.ts";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { setUpQuery } from "./queries.ts";
import { ServerStep } from "./server-step.tsx";
import { SetUpForm } from "./set-up-form.tsx";

export function SetUp() {
  const router = useRouter();
  const search = useSearchParams();
  const behindHash = useLinkToken();
  // Links that were printed before had it in the query.
  const token = behindHash || (search.get("token") ?? "");
  const isServerStep = search.get("step") === "server";
  const setUp = useQuery({
    ...setUpQuery(token),
    refetchOnWindowFocus: false,
    enabled: !isServerStep && behindHash !== null,
  });

  const isFinished = setUp.data?.state === "finished" && !isServerStep;
  useEffect(() => {
    if (isFinished) router.replace("/console/sign-in");
  }, [isFinished, router]);

  if (isServerStep) return <ServerStep />;
  return (
    <QueryView query={setUp} noun="the set-up" skeleton={<FormSkeleton />}>
      {({ state, server }) =>
        state === "token_needed" ? (
          <WhereTheLinkIs wasGiven={token !== ""} />
        ) : server ? (
          <SetUpForm token={token} server={server} />
        ) : (
          <FormSkeleton />
        )
      }
    </QueryView>
  );
}

function WhereTheLinkIs({ wasGiven }: { wasGiven: boolean }) {
  return (
    <Stack gap="xs">
      <Title order={1}>{wasGiven ? "This link is not valid" : "Open the set-up link"}</Title>
      <Text>
        Posthouse is new here and waits for its first person. Whoever can read the server’s output
        is allowed in: <code>posthouse start</code> prints a link beside the words “Set up”. Open
        that link.
      </Text>
      <Text c="dimmed">
        Started as a service? The link is in its log. A restart prints it again.
      </Text>
    </Stack>
  );
}

function FormSkeleton() {
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
