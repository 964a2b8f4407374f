import { Text } from "@mantine/core";

import classes from "./progress-bar.module.css";

/** How many of how many are done. */
export function ProgressBar({
  label,
  done,
  of,
  isRunning,
}: {
  label: string;
  done: number;
  of: number;
  isRunning: boolean;
}) {
  return (
    <div className={classes.progress}>
      <progress className={classes.bar} value={done} max={of} aria-label={label} />
      <Text size="sm" c="dimmed">
        {done.toLocaleString("en")} of {of.toLocaleString("en")}
        {isRunning && ". Leave this page open until it is done."}
      </Text>
    </div>
  );
}
