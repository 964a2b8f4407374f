import Link from "next/link";

import { changeOf, inFull } from "#app/console/ui/charts/numbers.ts";

import { emailsLink } from "./emails-link.ts";
import classes from "./metrics.module.css";
import { COUNTS, countWords, emailsIn } from "./metric-words.ts";
import type { MetricsAnswer } from "./queries.ts";

/** Each count of the whole time, beside the time before; it leads to its emails. */
export function Totals({ answer, domainId }: { answer: MetricsAnswer; domainId: string | null }) {
  const { totals, former, start, end } = answer;
  const behind = { start, end, domainId };
  return (
    <ul className={classes.totals} aria-label="Emails by what happened to them">
      <Total
        word="Emails"
        now={emailsIn(totals)}
        before={emailsIn(former.totals)}
        href={emailsLink(behind)}
      />
      {COUNTS.map((name) => (
        <Total
          key={name}
          word={countWords[name]}
          now={totals[name]}
          before={former.totals[name]}
          href={emailsLink({ ...behind, event: name })}
        />
      ))}
    </ul>
  );
}

function Total({
  word,
  now,
  before,
  href,
}: {
  word: string;
  now: number;
  before: number;
  href: string;
}) {
  return (
    <li className={classes.total}>
      <Link href={href} className={classes.totalLink}>
        <span className={classes.word}>{word}</span>
        <span className={classes.number}>{inFull(now)}</span>
        <span className={classes.change}>{changeOf(now, before) ?? "none"}</span>
      </Link>
    </li>
  );
}
