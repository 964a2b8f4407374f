import type { ReactNode } from "react";

import classes from "./item-list.module.css";

/** A short list; children are `ItemRow`. */
export function ItemList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={classes.rows} aria-label={label}>
      {children}
    </ul>
  );
}

/** @param actions buttons on the right */
export function ItemRow({
  title,
  children,
  actions,
}: {
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <li className={classes.row}>
      <div className={classes.words}>
        <div className={classes.title}>{title}</div>
        {children && <div className={classes.facts}>{children}</div>}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </li>
  );
}
