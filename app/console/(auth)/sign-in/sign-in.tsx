"use client";

import { Stack, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";

import { setUpQuery } from "#app/console/(auth)/set-up/queries.ts";
import { nextPage } from "#app/console/next-page.ts";
import { SecondFactorStep } from "#app/console/second-factors/second-factor-step.tsx";
import type { AskedFactors } from "#app/console/session-queries.ts";

import { SignInForm } from "./sign-in-form.tsx";

export function SignIn() {
  const router = useRouter();
  const queryClient = useQueryClient();
  const search = useSearchParams();
  const setUp = useQuery(setUpQuery(""));
  const [asked, setAsked] = useState<AskedFactors | null>(null);

  // Before the first company exists there is no one to sign in.
  const isFirstRun = setUp.data !== undefined && setUp.data.state !== "finished";
  useEffect(() => {
    if (isFirstRun) router.replace("/console/set-up");
  }, [isFirstRun, router]);

  function enter() {
    // Drop data cached for an earlier session, perhaps of another admin.
    queryClient.removeQueries();
    const { hash } = window.location;
    const next = nextPage(search.get("next"), hash);
    // The router sets the hash too late for the page that reads it.
    if (hash) window.location.replace(next);
    else router.replace(next);
  }

  return (
    <Stack gap="md">
      <Title order={1}>{asked ? "Verify it’s you" : "Sign in"}</Title>
      {asked ? (
        <SecondFactorStep asked={asked} onSignedIn={enter} onRestart={() => setAsked(null)} />
      ) : (
        <SignInForm onSignedIn={enter} onAsked={setAsked} />
      )}
    </Stack>
  );
}
