import { Text } from "@mantine/core";
import { type ReactNode, useId } from "react";

import type { SetupPlan } from "#app/console/(pages)/domains/queries.ts";

import classes from "./planned-changes.module.css";

type Change = SetupPlan["changes"][number];

/** @param children a control below each change */
export function PlannedChanges({
  title,
  changes,
  children,
}: {
  title: string;
  changes: Change[];
  children?: (change: Change) => ReactNode;
}) {
  const titleId = useId();
  if (changes.length === 0) return null;
  return (
    <section aria-labelledby={titleId}>
      <Text id={titleId} component="h3" fw={600} size="sm" mb="xs">
        {title}
      </Text>
      <ul className={classes.changes}>
        {changes.map((change) => (
          <li key={change.key} className={classes.change}>
            <span className={classes.place}>
              {change.type} {change.name}
            </span>
            {change.before.map((text) => (
              <span key={text} className={classes.value}>
                {change.action === "blocked" ? "Existing:" : "Now:"} <code>{text}</code>
              </span>
            ))}
            <span className={classes.value}>
              {change.before.length > 0 && (change.action === "blocked" ? "Wanted: " : "Then: ")}
              <code>
                {change.priority === null ? "" : `${change.priority} `}
                {change.after}
              </code>
            </span>
            {children?.(change)}
          </li>
        ))}
      </ul>
    </section>
  );
}
