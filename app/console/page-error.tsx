"use client";

import classes from "./page-error.module.css";

/** The props that Next passes to an error page. */
export type PageErrorProps = { error: Error & { digest?: string }; reset: () => void };

/** Uses plain elements because it is part of every page's bundle. */
export function PageError({ error, reset }: PageErrorProps) {
  const outdated = isOutdated(error);
  return (
    <div role="alert" className={classes.words}>
      <h1>{outdated ? "Reload to continue" : "Something went wrong"}</h1>
      <p>
        {outdated
          ? "Part of this page couldn’t be loaded. The server may have been updated, or it can’t be reached."
          : "This page couldn’t be displayed. Changes that you saved aren’t affected."}
        {error.digest && ` Request ID: ${error.digest}`}
      </p>
      <div className={classes.actions}>
        <button type="button" onClick={() => window.location.reload()}>
          Reload page
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

/** Part of the page could not be loaded because the server now runs another build than this tab. */
export const isOutdated = ({ name, message }: Error): boolean =>
  name === "ChunkLoadError" ||
  /loading (css )?chunk|load chunk|dynamically imported/i.test(message);
