"use client";

import { MantineProvider } from "@mantine/core";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";

import { useNonce } from "#app/nonce.tsx";

import { ConsoleError } from "./console-client.ts";
import { cssVariablesResolver, theme } from "./theme.ts";
import { Toasts } from "./ui/toasts.tsx";

const RETRIES_MAX = 2;

/** A refusal is an answer: asking again would only delay showing it. */
const retry = (failures: number, error: Error) =>
  !(error instanceof ConsoleError) && failures < RETRIES_MAX;

/** What a refusal means for the whole page, whatever part of it was refused; null for nothing, or a page to go to. */
export type LeadAway = (
  reason: string,
  page: { location: Location; client: QueryClient },
) => string | null;

export function Providers({ children, leadAway }: { children: ReactNode; leadAway: LeadAway }) {
  const router = useRouter();
  const nonce = useNonce();
  const [client] = useState(() => {
    const onError = (error: Error) => {
      const { location } = window;
      const place =
        error instanceof ConsoleError ? leadAway(error.reason, { location, client }) : null;
      if (place !== null) router.replace(place);
    };
    // Without a network too: what is asked then fails with words instead of waiting without any.
    const networkMode = "always";
    const client = new QueryClient({
      defaultOptions: {
        queries: { retry, staleTime: 2_000, networkMode },
        mutations: { networkMode },
      },
      queryCache: new QueryCache({ onError }),
      mutationCache: new MutationCache({ onError }),
    });
    return client;
  });
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <Toasts />
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </MantineProvider>
  );
}
