import { IconChevronRight } from "@tabler/icons-react";
import Link from "next/link";

import { Status } from "#app/console/ui/status.tsx";

import { attentionItems, type AttentionItem } from "./attention-items.ts";
import classes from "./overview.module.css";
import type { OverviewAnswer } from "./queries.ts";

/** Lists what needs attention, or confirms that everything is fine. */
export function AttentionPanel({ overview }: { overview: OverviewAnswer }) {
  const items = attentionItems(overview);
  if (items.length === 0)
    return (
      <section className={classes.well} aria-label="Status">
        <Status tone="done" label="No issues" />
        <span className={classes.quiet}>Nothing needs your attention.</span>
      </section>
    );
  return (
    <section className={classes.attention} aria-labelledby="attention">
      <h2 id="attention" className={classes.attentionTitle}>
        Needs attention
      </h2>
      <ul className={classes.points}>
        {items.map((item) => (
          <li key={`${item.href} ${item.text}`} className={classes.point}>
            <AttentionRow item={item} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function AttentionRow({ item: { tone, label, text, href } }: { item: AttentionItem }) {
  return (
    <Link href={href} className={classes.pointLink}>
      <span className={classes.pointStatus}>
        <Status tone={tone} label={label} />
      </span>
      <span className={classes.pointText}>{text}</span>
      <IconChevronRight size={16} aria-hidden="true" className={classes.pointMark} />
    </Link>
  );
}
