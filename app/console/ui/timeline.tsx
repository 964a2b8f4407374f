import type { ReactNode } from "react";

import { StatusDot, type StatusTone } from "./status.tsx";
import classes from "./timeline.module.css";

export function Timeline({ children }: { children: ReactNode }) {
  return <ol className={classes.timeline}>{children}</ol>;
}

/**
 * @param quote verbatim text from others, such as an SMTP reply
 * @param aside the time and other small print
 */
export function TimelineEntry({
  tone,
  title,
  quote,
  aside,
  children,
}: {
  tone: StatusTone;
  title: ReactNode;
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
