"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import { ConsoleError } from "#app/console/console-client.ts";
import { longWait } from "#app/console/waiting.ts";

import classes from "./connection-status.module.css";

/** A thin line at the top while anything takes more than a second. */
export function ProgressLine() {
  const isOn = useSyncExternalStore(longWait.subscribe, longWait.isOn, () => false);
  return isOn && <div className={classes.line} role="progressbar" aria-label="Loading" />;
}

/** Says that the page is offline or couldn't be refreshed. */
export function ConnectionStatus() {
  const isOnline = useSyncExternalStore(
    subscribeToNetwork,
    () => navigator.onLine,
    () => true,
  );
  const isStale = useIsStale();
  const words = isOnline
    ? isStale && "Couldn’t refresh. Retrying…"
    : "You’re offline. This page may be out of date. Nothing you typed is lost.";
  return (
    <div role="status" className={classes.place}>
      {words && <div className={classes.words}>{words}</div>}
    </div>
  );
}

function subscribeToNetwork(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

/** Whether visible data failed to refresh. 4xx responses don't count: the server was reached. */
function useIsStale(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => cache.findAll({ type: "active" }).some(({ state }) => isUnreached(state)),
    () => false,
  );
}

function isUnreached({ data, error }: { data: unknown; error: Error | null }): boolean {
  if (data === undefined || error === null) return false;
  return !(error instanceof ConsoleError) || error.status >= 500;
}
