"use client";

import { useEffect } from "react";

/** Sets the browser's title to what the page shows: "ann@northwind.example · Mailboxes · Posthouse". */
export function DocumentTitle({ children }: { children: string }) {
  useEffect(() => {
    const former = document.title;
    const title = `${children} · Posthouse`;
    document.title = title;
    return () => {
      // The next page has set its own already.
      if (document.title === title) document.title = former;
    };
  }, [children]);
  return null;
}
