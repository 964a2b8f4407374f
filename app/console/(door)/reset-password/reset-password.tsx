"use client";

import { useSyncExternalStore } from "react";

import { AskForLink } from "./ask-for-link.tsx";
import { NewPassword } from "./new-password.tsx";

/** The token of the link stands behind the `#`, which browsers send to nobody. */
export function ResetPassword() {
  const token = useSyncExternalStore(
    subscribe,
    () => window.location.hash.slice(1),
    () => null,
  );
  if (token === null) return null;
  return token === "" ? <AskForLink /> : <NewPassword token={token} />;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}
