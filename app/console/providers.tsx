"use client";

import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";

import { useNonce } from "#app/nonce.tsx";

import { ConsoleError } from "./console-client.ts";
import { signInUrl, YOU } from "./next-page.ts";
import { cssVariablesResolver, theme } from "./theme.ts";

const RETRIES_MAX = 2;

/** A refusal is an answer: asking again would only delay showing it. */
const retry = (failures: number, error: Error) =>
  !(error instanceof ConsoleError) && failures < RETRIES_MAX;

/** Where a refusal leads, whatever page notices it; null for nowhere. */
export type LeadAway = (reason: string, location: Location) => string | null;

/** The session is over: sign in, and come back. A second factor that is due: set it up. */
const toTheDoor: LeadAway = (reason, location) => {
  if (reason === "not_signed_in") return signInUrl(location);
  return reason === "second_factor_due" ? YOU : null;
};

export function Providers({
  children,
  leadAway = toTheDoor,
}: {
  children: ReactNode;
  leadAway?: LeadAway;
}) {
  const router = useRouter();
  const nonce = useNonce();
  const [client] = useState(() => {
    const onError = (error: Error) => {
      const place = error instanceof ConsoleError ? leadAway(error.reason, window.location) : null;
      if (place !== null) router.replace(place);
    };
    return new QueryClient({
      defaultOptions: { queries: { retry, staleTime: 2_000 } },
      queryCache: new QueryCache({ onError }),
      mutationCache: new MutationCache({ onError }),
    });
  });
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <Notifications position="bottom-right" />
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </MantineProvider>
  );
}
