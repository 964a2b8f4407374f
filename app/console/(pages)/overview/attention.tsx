import { IconChevronRight } from "@tabler/icons-react";
import Link from "next/link";

import { Status } from "#app/console/ui/status.tsx";

import { attentionOf, type Point } from "./attention-points.ts";
import classes from "./overview.module.css";
import type { OverviewAnswer } from "./queries.ts";

/** What somebody should look at, the gravest first; or calmly, that there is nothing. */
export function Attention({ overview }: { overview: OverviewAnswer }) {
  const points = attentionOf(overview);
  if (points.length === 0)
    return (
      <section className={classes.well} aria-label="State">
        <Status meaning="done" word="All is well" />
        <span className={classes.quiet}>Nothing needs your attention.</span>
      </section>
    );
  return (
    <section className={classes.attention} aria-labelledby="attention">
      <h2 id="attention" className={classes.attentionTitle}>
        Needs your attention
      </h2>
      <ul className={classes.points}>
        {points.map((point) => (
          <li key={`${point.href} ${point.text}`} className={classes.point}>
            <Entry point={point} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Entry({ point: { meaning, word, text, href } }: { point: Point }) {
  return (
    <Link href={href} className={classes.pointLink}>
      <span className={classes.pointStatus}>
        <Status meaning={meaning} word={word} />
      </span>
      <span className={classes.pointText}>{text}</span>
      <IconChevronRight size={16} aria-hidden="true" className={classes.pointMark} />
    </Link>
  );
}
