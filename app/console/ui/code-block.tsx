import classes from "./code-block.module.css";
import { CopyButton } from "./copy-button.tsx";

/** Code to read or to take along. `what` names it. */
export function CodeBlock({ code, what }: { code: string; what: string }) {
  return (
    <div className={classes.block}>
      <pre className={classes.code} tabIndex={0} role="region" aria-label={what}>
        {code}
      </pre>
      <div className={classes.copy}>
        <CopyButton value={code} what={what} />
      </div>
    </div>
  );
}
