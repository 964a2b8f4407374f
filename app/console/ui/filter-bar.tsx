import type { ReactNode } from "react";

import classes from "./filter-bar.module.css";

/** A list's search, filters and tools, in a row that wraps. */
export function FilterBar({ children }: { children: ReactNode }) {
  return (
    <div className={classes.bar} role="search">
      {children}
    </div>
  );
}
