import type { ReactNode } from "react";

import { StatusDot, type StatusTone } from "./status.tsx";
import classes from "./timeline.module.css";

/** Things that happened, one below the other; its children are entries. */
export function Timeline({ children }: { children: ReactNode }) {
  return <ol className={classes.timeline}>{children}</ol>;
}

/**
 * @param quote what was said by others, as they said it
 * @param aside when it happened, and what else is small
 */
export function TimelineEntry({
  tone,
  title,
  quote,
  aside,
  children,
}: {
  tone: StatusTone;
  title: string;
  quote?: string | null;
  aside?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <li className={classes.entry}>
      <span className={classes.dot}>
        <StatusDot tone={tone} />
      </span>
      <div className={classes.words}>
        <div className={classes.title}>{title}</div>
        {children && <div>{children}</div>}
        {quote && <code className={classes.quote}>{quote}</code>}
        {aside && <div className={classes.moment}>{aside}</div>}
      </div>
    </li>
  );
}
