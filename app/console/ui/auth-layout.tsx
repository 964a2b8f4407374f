import type { ReactNode } from "react";

import classes from "./auth-layout.module.css";
import { Wordmark } from "./wordmark.tsx";

/** One narrow column under the wordmark, for pages outside the shell. */
export function AuthLayout({ children }: { children: ReactNode }) {
  return (
    <div className={classes.page}>
      <main className={classes.column}>
        <Wordmark />
        <div className={classes.card}>{children}</div>
      </main>
    </div>
  );
}
