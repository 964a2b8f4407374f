import { CodeBlock } from "#app/console/ui/code.tsx";

import classes from "./help.module.css";

export function GuideSample({ code, what }: { code: string; what: string }) {
  return (
    <div className={classes.code}>
      <CodeBlock code={code} label={what} />
    </div>
  );
}
