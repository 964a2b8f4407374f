import { Text } from "@mantine/core";
import type { ReactNode } from "react";

import { formatCount } from "#app/console/ui/format.ts";

import classes from "./progress-bar.module.css";

/** Shows `children` when finished. */
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
          {formatCount(done)} of {formatCount(of)}
          {isRunning && ". Keep this page open until it finishes."}
        </Text>
      )}
      <Text role="status">{!isRunning && children}</Text>
    </div>
  );
}
