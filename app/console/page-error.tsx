import { isOutdated } from "./is-outdated.ts";
import classes from "./page-error.module.css";
import { useTexts } from "./ui/texts.tsx";

/** The props that Next passes to an error page. */
export type PageErrorProps = { error: Error & { digest?: string }; reset: () => void };

/** Uses plain elements because it is part of every page's bundle. */
export function PageError({ error, reset }: PageErrorProps) {
  const text = useTexts();
  const outdated = isOutdated(error);
  return (
    <div role="alert" className={classes.words}>
      <h1>{text(outdated ? "page.outdated" : "page.failed")}</h1>
      <p>
        {text(outdated ? "page.outdated.text" : "page.failed.text")}
        {error.digest && ` ${text("request.id")}: ${error.digest}`}
      </p>
      <div className={classes.actions}>
        <button type="button" onClick={() => window.location.reload()}>
          {text("page.reload")}
        </button>
        {!outdated && (
          <button type="button" data-second onClick={reset}>
            {text("retry")}
          </button>
        )}
      </div>
    </div>
  );
}
