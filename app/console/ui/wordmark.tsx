import type { ReactNode } from "react";

import classes from "./wordmark.module.css";

export const Wordmark = () => (
  <span className={classes.mark}>
    <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" className={classes.plate} />
      <path
        d="M5.5 9.2 12 5l6.5 4.2V18h-13zM5.8 9.6l6.2 4.2 6.2-4.2"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinejoin="round"
        className={classes.envelope}
      />
    </svg>
    Posthouse
  </span>
);

/** One narrow column under the wordmark, for pages outside the shell. */
export const AuthLayout = ({ children }: { children: ReactNode }) => (
  <div className={classes.page}>
    <main className={classes.column}>
      <Wordmark />
      <div className={classes.card}>{children}</div>
    </main>
  </div>
);
