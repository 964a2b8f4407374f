import { useSyncExternalStore } from "react";

import { ConsoleError } from "./console-client.ts";

let isOver = false;
let wasOver = false;
const listeners = new Set<() => void>();

/** Notifies all components when the session expires or is renewed. */
export function setSessionExpired(is: boolean): void {
  isOver = is;
  wasOver ||= is;
  for (const listener of listeners) listener();
}

export const useSessionExpired = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => isOver,
    () => false,
  );

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the dialog to sign in again covers this error, so that no other place shows it. */
export const isCoveredByDialog = (error: Error): boolean =>
  wasOver && error instanceof ConsoleError && error.reason === "not_signed_in";
