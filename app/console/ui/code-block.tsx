import classes from "./code-block.module.css";
import { CopyButton } from "./copy-button.tsx";

/** A block of code with a Copy button. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <div className={classes.block}>
      <pre className={classes.code} tabIndex={0} role="region" aria-label={label}>
        {code}
      </pre>
      <div className={classes.copy}>
        <CopyButton value={code} label={label} />
      </div>
    </div>
  );
}
