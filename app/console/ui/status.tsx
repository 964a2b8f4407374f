import classes from "./status.module.css";

/** Green, amber (pending or delayed), red, blue, and a gray ring. */
export type StatusTone = "done" | "waiting" | "failed" | "info" | "none";

/** A colored dot that always comes with a label. */
export const Status = ({ tone, label }: { tone: StatusTone; label: string }) => (
  <span className={classes.status}>
    <StatusDot tone={tone} />
    {label}
  </span>
);

export const StatusDot = ({ tone }: { tone: StatusTone }) => (
  <span className={classes.dot} data-tone={tone} aria-hidden="true" />
);

/** Marks data of test mode, and test events. */
export const TestBadge = () => <span className={classes.badge}>Test</span>;
