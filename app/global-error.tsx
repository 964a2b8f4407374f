"use client";

import { isOutdated } from "#app/console/is-outdated.ts";
import type { PageErrorProps } from "./console/page-error.tsx";

import classes from "./global-error.module.css";

/** Replaces the whole document when even the root layout fails. */
export default function GlobalError({ error }: PageErrorProps) {
  return (
    <html lang="en">
      <body className={classes.body}>
        <main role="alert">
          <h1>
            {isOutdated(error) ? "Reload to continue" : "Posthouse couldn’t display this page"}
          </h1>
          <p>
            Reload the page. If the error persists, check the server’s log.
            {error.digest && ` Request ID: ${error.digest}`}
          </p>
          <button type="button" onClick={() => window.location.reload()}>
            Reload page
          </button>
        </main>
      </body>
    </html>
  );
}
