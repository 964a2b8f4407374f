import type { ReactNode } from "react";

import classes from "./side-by-side.module.css";

/** A sidebar beside the content, or above it on narrow screens. */
export function SideBySide({ side, children }: { side: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.both}>
      <div className={classes.side}>{side}</div>
      {children}
    </div>
  );
}
