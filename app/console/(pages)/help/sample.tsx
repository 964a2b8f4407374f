import { CodeBlock } from "#app/console/ui/code-block.tsx";

import classes from "./help.module.css";

/** Code in a guide. */
export function Sample({ code, what }: { code: string; what: string }) {
  return (
    <div className={classes.code}>
      <CodeBlock code={code} what={what} />
    </div>
  );
}
