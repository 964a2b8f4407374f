import type { ReactNode } from "react";

import classes from "./filter-bar.module.css";

/** A list's search, filters and tools, in a row that wraps. */
export const FilterBar = ({ children }: { children: ReactNode }) => (
  <div className={classes.bar} role="search">
    {children}
  </div>
);
