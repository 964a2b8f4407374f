import { useSyncExternalStore } from "react";

/**
 * What stands behind the `#` of the page's address: the token of a link. Browsers send it to nobody, so
 * no log has it. Empty without one, and null until the page has come to life in the browser.
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
