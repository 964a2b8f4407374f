import { Text } from "@mantine/core";
import type { ReactNode } from "react";

import classes from "./progress-bar.module.css";

/** How many of how many are done; `children` once it is over. */
export function ProgressBar({
  label,
  done,
  of,
  isRunning,
  children,
}: {
  label: string;
  done: number;
  of: number;
  isRunning: boolean;
  children?: ReactNode;
}) {
  return (
    <div className={classes.progress}>
      <progress className={classes.bar} value={done} max={of} aria-label={label} />
      {(isRunning || !children) && (
        <Text size="sm" c="dimmed">
          {done.toLocaleString("en")} of {of.toLocaleString("en")}
          {isRunning && ". Leave this page open until it is done."}
        </Text>
      )}
      <Text role="status">{!isRunning && children}</Text>
    </div>
  );
}
