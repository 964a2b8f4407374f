import type { ReactNode } from "react";

import classes from "./auth-layout.module.css";
import { Wordmark } from "./wordmark.tsx";

/** The pages before one is inside: one narrow column under the name of the house. */
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
