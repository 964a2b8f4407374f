import type { ReactNode } from "react";

import classes from "./side-by-side.module.css";

/** What is known of a thing beside what is in it; above it where there is little room. */
export function SideBySide({ side, children }: { side: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.both}>
      <div className={classes.side}>{side}</div>
      {children}
    </div>
  );
}
