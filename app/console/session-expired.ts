"use client";

import { useSyncExternalStore } from "react";

let isOver = false;
const listeners = new Set<() => void>();

/** Notifies all components when the session expires or is renewed. */
export function setSessionExpired(is: boolean): void {
  isOver = is;
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
