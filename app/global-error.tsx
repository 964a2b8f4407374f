"use client";

import type { CSSProperties } from "react";

import { isOutdated } from "./console/is-outdated.ts";
import type { PageErrorProps } from "./console/page-error.tsx";

// Not a style sheet, which every page would preload for the rare case.
const BODY: CSSProperties = {
  maxWidth: 480,
  margin: "20vh auto 0",
  padding: "0 16px",
  colorScheme: "light dark",
  font: "0.875rem/1.5 system-ui, sans-serif",
};
const TITLE: CSSProperties = { fontSize: "1.25rem" };
const BUTTON: CSSProperties = { padding: "8px 16px", font: "inherit" };

/** Replaces the whole document when even the root layout fails. */
export default function GlobalError({ error }: PageErrorProps) {
  return (
    <html lang="en">
      <body style={BODY}>
        <main role="alert">
          <h1 style={TITLE}>
            {isOutdated(error) ? "Reload to continue" : "Posthouse couldn’t display this page"}
          </h1>
          <p>
            Reload the page. If the error persists, check the server’s log.
            {error.digest && ` Request ID: ${error.digest}`}
          </p>
          <button type="button" style={BUTTON} onClick={() => window.location.reload()}>
            Reload page
          </button>
        </main>
      </body>
    </html>
  );
}
