import type { ReactNode } from "react";

import classes from "./description-list.module.css";

/** @param hasLongLabels makes room for labels of several words */
export function DescriptionList({
  hasLongLabels,
  children,
}: {
  hasLongLabels?: boolean;
  children: ReactNode;
}) {
  return (
    <dl className={classes.facts} data-long={hasLongLabels}>
      {children}
    </dl>
  );
}

export function DescriptionItem({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt className={classes.name}>{label}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  );
}
