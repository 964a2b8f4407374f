"use client";

import { MantineProvider } from "@mantine/core";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";

import { ConsoleError } from "./console-client.ts";
import { signInUrl } from "./next-page.ts";
import { cssVariablesResolver, theme } from "./theme.ts";

const RETRIES_MAX = 2;

/** A refusal is an answer: asking again would only delay showing it. */
const retry = (failures: number, error: Error) =>
  !(error instanceof ConsoleError) && failures < RETRIES_MAX;

export function Providers({ children }: { children: ReactNode }) {
  const router = useRouter();
  const [client] = useState(() => {
    // Whatever page notices that the session is over: sign in, and come back to it.
    const onError = (error: Error) => {
      if (error instanceof ConsoleError && error.reason === "not_signed_in")
        router.replace(signInUrl(window.location));
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
    >
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </MantineProvider>
  );
}
