import Link from "next/link";

import { describeCountChange, formatCount } from "#app/console/ui/format.ts";

import { emailsLink } from "./emails-link.ts";
import classes from "./metrics.module.css";
import { COUNTS, countLabels, emailCount } from "./metric-labels.ts";
import type { MetricsAnswer } from "./queries.ts";

/** Each count of the whole range, compared with the previous one. Each links to its emails. */
export function MetricTotals({
  answer,
  domainId,
}: {
  answer: MetricsAnswer;
  domainId: string | null;
}) {
  const { totals, former, start, end } = answer;
  const selection = { start, end, domainId };
  return (
    <ul className={classes.totals} aria-label="Emails by event">
      <MetricTotal
        label="Emails"
        now={emailCount(totals)}
        before={emailCount(former.totals)}
        href={emailsLink(selection)}
      />
      {COUNTS.map((name) => (
        <MetricTotal
          key={name}
          label={countLabels[name]}
          now={totals[name]}
          before={former.totals[name]}
          href={emailsLink({ ...selection, event: name })}
        />
      ))}
    </ul>
  );
}

function MetricTotal({
  label,
  now,
  before,
  href,
}: {
  label: string;
  now: number;
  before: number;
  href: string;
}) {
  return (
    <li className={classes.total}>
      <Link href={href} className={classes.totalLink}>
        <span className={classes.word}>{label}</span>
        <span className={classes.number}>{formatCount(now)}</span>
        <span className={classes.change}>{describeCountChange(now, before) ?? "no change"}</span>
      </Link>
    </li>
  );
}
