import { MantineProvider } from "@mantine/core";
import {
  focusManager,
  MutationCache,
  notifyManager,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  type QueryObserverOptions,
} from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useState } from "react";
import { preload } from "react-dom";

import { useNonce } from "#app/nonce.tsx";

import { ConsoleError } from "./console-client.ts";
import { cssVariablesResolver, theme } from "./theme.ts";
import { Toasts } from "./ui/actions.tsx";
import { LeaveDialog } from "./ui/leave-dialog.tsx";

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

type ProvidersProps = { children: ReactNode; redirectOnError: ErrorRedirect };

export function Providers({ children, redirectOnError }: ProvidersProps) {
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
    if (typeof window === "undefined") preloadQueries(client);
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
      <LeaveDialog />
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </MantineProvider>
  );
}

/** The server renders pages without data. This makes the browser request the data before the page's scripts have loaded. */
function preloadQueries(client: QueryClient): void {
  client.getQueryCache().subscribe(({ type, query: { meta, options } }) => {
    const { enabled } = options as QueryObserverOptions;
    if (type === "added" && enabled !== false && typeof meta?.url === "string")
      preload(meta.url, { as: "fetch", crossOrigin: "anonymous" });
  });
}

/**
 * Ignores clicks on busy buttons and submissions of forms whose button is busy. Busy buttons stay enabled, because a
 * disabled one would lose the focus.
 */
function useBusyButtons(): void {
  useEffect(() => {
    const ignore = (event: Event) => {
      if (!isBusy(event)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    // In the capture phase, so that no component sees the event.
    window.addEventListener("click", ignore, true);
    window.addEventListener("submit", ignore, true);
    return () => {
      window.removeEventListener("click", ignore, true);
      window.removeEventListener("submit", ignore, true);
    };
  }, []);
}

function isBusy({ type, target }: Event): boolean {
  if (!(target instanceof Element)) return false;
  return type === "submit"
    ? target.querySelector('button[type="submit"][aria-busy="true"]') !== null
    : target.closest('button[aria-busy="true"]') !== null;
}

const IDLE_AFTER_MS = 5 * 60_000;

/** Stops the periodic refetches while the page isn't used, so that a page left open doesn't keep its session in use. */
function usePauseWhenIdle(): void {
  useEffect(() => {
    const pause = () => focusManager.setFocused(false);
    let timer = setTimeout(pause, IDLE_AFTER_MS);
    const resume = () => {
      clearTimeout(timer);
      timer = setTimeout(pause, IDLE_AFTER_MS);
      // Undefined leaves it to the tab's visibility.
      focusManager.setFocused(undefined);
    };
    const options = { capture: true, passive: true };
    const events = ["pointerdown", "pointermove", "keydown", "wheel"] as const;
    for (const event of events) window.addEventListener(event, resume, options);
    return () => {
      clearTimeout(timer);
      for (const event of events) window.removeEventListener(event, resume, options);
    };
  }, []);
}
