"use client";

import { isOutdated } from "#app/console/is-outdated.ts";
import type { Failure } from "#app/console/page-failure.tsx";

import classes from "./global-error.module.css";

/** In place of everything: not even what surrounds the pages came to be. */
export default function GlobalError({ error }: Failure) {
  return (
    <html lang="en">
      <body className={classes.body}>
        <main role="alert">
          <h1>{isOutdated(error) ? "Reload to go on" : "Posthouse could not show this page"}</h1>
          <p>
            Reload the page. If it stays like this, look at the server’s log.
            {error.digest && ` Request ${error.digest}`}
          </p>
          <button type="button" onClick={() => window.location.reload()}>
            Reload
          </button>
        </main>
      </body>
    </html>
  );
}
