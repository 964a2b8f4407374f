import Link from "next/link";
import type { ReactNode } from "react";

import classes from "./chips.module.css";
import { inPlace } from "./show-search.ts";

/** The choices of one filter, each a `Chip`. */
export function Chips({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className={classes.chips}>
      {children}
    </nav>
  );
}

/** One choice, which the page's URL keeps. */
export function Chip({ word, href, isOn }: { word: string; href: string; isOn: boolean }) {
  return (
    <Link
      href={href}
      // It is this page: there is nothing to fetch.
      prefetch={false}
      onNavigate={inPlace(href)}
      className={classes.chip}
      aria-current={isOn ? "true" : undefined}
    >
      {word}
    </Link>
  );
}
