"use client";

import { useSyncExternalStore } from "react";

let isOver = false;
const listeners = new Set<() => void>();

/** Says that the session is over, or that it goes on, to all that is shown. */
export function sessionIsOver(is: boolean): void {
  isOver = is;
  for (const listener of listeners) listener();
}

export const useSessionIsOver = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => isOver,
    () => false,
  );

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
