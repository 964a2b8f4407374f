"use client";

import { isOutdated } from "./is-outdated.ts";
import classes from "./page-failure.module.css";

/** What Next hands to the page that stands in for one that failed. */
export type Failure = { error: Error & { digest?: string }; reset: () => void };

/** In place of a page that came to nothing. It comes with every page, and is made of plain elements for that. */
export function PageFailure({ error, reset }: Failure) {
  const outdated = isOutdated(error);
  return (
    <div role="alert" className={classes.words}>
      <h1>{outdated ? "Reload to go on" : "This page failed"}</h1>
      <p>
        {outdated
          ? "A part of this page could not be loaded: the server has a newer version, or cannot be reached."
          : "Something in it went wrong, in your browser or on the server. What you did before is safe."}
        {error.digest && ` Request ${error.digest}`}
      </p>
      <div className={classes.acts}>
        <button type="button" onClick={() => window.location.reload()}>
          Reload
        </button>
        {!outdated && (
          <button type="button" data-second onClick={reset}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}
