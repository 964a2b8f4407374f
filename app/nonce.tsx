"use client";

import { createContext, type ReactNode, useContext, useState } from "react";

const NonceContext = createContext("");

/** The CSP nonce for style sheets created in the browser. */
export const useNonce = (): string => useContext(NonceContext);

/**
 * Provides the document's CSP nonce. Keeps the first value: pages fetched later carry another nonce, but
 * the document's policy doesn't change.
 */
export function Nonce({ value, children }: { value: string; children: ReactNode }) {
  const [nonce] = useState(value);
  // Read by get-nonce, which the scroll lock of dialogs uses.
  if (typeof window !== "undefined") Object.assign(window, { __webpack_nonce__: nonce });
  return <NonceContext value={nonce}>{children}</NonceContext>;
}
