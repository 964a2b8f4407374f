"use client";

import { MantineProvider } from "@mantine/core";
import {
  MutationCache,
  notifyManager,
  QueryCache,
  QueryClient,
  QueryClientProvider,
} from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";

import { useNonce } from "#app/nonce.tsx";

import { useBusyButtons } from "./busy-buttons.ts";
import { usePauseWhenIdle } from "./use-pause-when-idle.ts";
import { ConsoleError } from "./console-client.ts";
import { cssVariablesResolver, theme } from "./theme.ts";
import { Toasts } from "./ui/actions.tsx";

// The default is a timer. Until it fires, pages would show old data with new state: a clicked checkbox would flip back, and a
// saved selection would vanish.
notifyManager.setScheduler(queueMicrotask);

const RETRIES_MAX = 2;

/** Retries only network errors: the server's errors are final. */
const retry = (failures: number, error: Error) =>
  !(error instanceof ConsoleError) && failures < RETRIES_MAX;

/** Handles an error of any request; returns the page to redirect to, or null. */
export type ErrorRedirect = (
  reason: string,
  page: { location: Location; client: QueryClient },
) => string | null;

export function Providers({
  children,
  redirectOnError,
}: {
  children: ReactNode;
  redirectOnError: ErrorRedirect;
}) {
  const router = useRouter();
  const nonce = useNonce();
  useBusyButtons();
  usePauseWhenIdle();
  const [client] = useState(() => {
    const onError = (error: Error) => {
      const { location } = window;
      const url =
        error instanceof ConsoleError ? redirectOnError(error.reason, { location, client }) : null;
      if (url !== null) router.replace(url);
    };
    // By default, requests wait silently while offline. Let them fail with an error instead.
    const networkMode = "always";
    const client = new QueryClient({
      defaultOptions: {
        queries: { retry, staleTime: 2_000, networkMode },
        // Some mutations carry or return secrets, so none is kept once its component is gone.
        mutations: { networkMode, gcTime: 0 },
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
