import type { ReactNode } from "react";

import classes from "./facts.module.css";

/**
 * The main facts of an object, each with its name.
 *
 * @param isLong the names are of several words
 */
export function Facts({ isLong, children }: { isLong?: boolean; children: ReactNode }) {
  return (
    <dl className={classes.facts} data-long={isLong}>
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt className={classes.name}>{name}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  );
}
