"use client";

import { Stack, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";

import { setUpQuery } from "#app/console/(auth)/set-up/queries.ts";
import { nextPage } from "#app/console/next-page.ts";
import { SecondFactorStep } from "#app/console/second-factor-step.tsx";
import type { AskedFactors } from "#app/console/session-queries.ts";

import { FirstStep } from "./first-step.tsx";

export function SignIn() {
  const router = useRouter();
  const queryClient = useQueryClient();
  const search = useSearchParams();
  const setUp = useQuery(setUpQuery(""));
  const [asked, setAsked] = useState<AskedFactors | null>(null);

  // Nobody can sign in before the first company is made.
  const isFirstRun = setUp.data !== undefined && setUp.data.state !== "finished";
  useEffect(() => {
    if (isFirstRun) router.replace("/console/set-up");
  }, [isFirstRun, router]);

  function enter() {
    // What was read in an earlier session, perhaps of another person, must not show in this one.
    queryClient.removeQueries();
    const { hash } = window.location;
    const next = nextPage(search.get("next"), hash);
    // The router does not bring what is behind the # along in time for the page that reads it.
    if (hash) window.location.replace(next);
    else router.replace(next);
  }

  return (
    <Stack gap="md">
      <Title order={1}>{asked ? "Is it you?" : "Sign in"}</Title>
      {asked ? (
        <SecondFactorStep asked={asked} onSignedIn={enter} onRestart={() => setAsked(null)} />
      ) : (
        <FirstStep onSignedIn={enter} onAsked={setAsked} />
      )}
    </Stack>
  );
}
