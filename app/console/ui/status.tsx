import classes from "./status.module.css";

/** What a state means to the reader: done, waiting or delayed, failed, for information, or nothing. */
export type StatusTone = "done" | "waiting" | "failed" | "info" | "none";

/** A state: its colour and always its word. */
export function Status({ tone, label }: { tone: StatusTone; label: string }) {
  return (
    <span className={classes.status}>
      <StatusDot tone={tone} />
      {label}
    </span>
  );
}

export function StatusDot({ tone }: { tone: StatusTone }) {
  return <span className={classes.dot} data-tone={tone} aria-hidden="true" />;
}
