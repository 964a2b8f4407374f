import { useSyncExternalStore } from "react";

/**
 * The token in the URL's hash, which browsers don't send, so that it appears in no log. "" without one,
 * and null before hydration.
 */
export const useLinkToken = (): string | null =>
  useSyncExternalStore(
    subscribe,
    () => window.location.hash.slice(1),
    () => null,
  );

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}
