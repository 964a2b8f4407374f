"use client";

import { createContext, type ReactNode, useContext, useState } from "react";

const Given = createContext("");

/** What the style sheets that are made in the browser must bear for the page's policy to let them in. */
export const useNonce = (): string => useContext(Given);

/**
 * Hands the nonce of the document's policy to everything in it. The first one stays: what is fetched
 * later comes with another, and the document's policy does not change.
 */
export function Nonce({ value, children }: { value: string; children: ReactNode }) {
  const [nonce] = useState(value);
  // Where the lock of the page behind a dialog looks for it (get-nonce).
  if (typeof window !== "undefined") Object.assign(window, { __webpack_nonce__: nonce });
  return <Given value={nonce}>{children}</Given>;
}
