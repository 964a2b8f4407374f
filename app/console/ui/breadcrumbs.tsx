"use client";

import { Anchor } from "@mantine/core";
import Link from "next/link";

import classes from "./breadcrumbs.module.css";

/** Links to a page's ancestors, outermost first. */
export function Breadcrumbs({ trail }: { trail: { label: string; href: string }[] }) {
  return (
    <nav aria-label="Breadcrumb" className={classes.breadcrumbs}>
      <ol className={classes.list}>
        {trail.map(({ label, href }) => (
          <li key={href} className={classes.step}>
            <Anchor component={Link} href={href}>
              {label}
            </Anchor>
          </li>
        ))}
      </ol>
    </nav>
  );
}
