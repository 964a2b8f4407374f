import Link from "next/link";
import type { ReactNode } from "react";

import classes from "./filter-chips.module.css";
import { navigateInPlace } from "./url-search.ts";

/** The choices of one filter, each a `Chip`. */
export function FilterChips({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className={classes.chips}>
      {children}
    </nav>
  );
}

/** One choice, which the page's URL keeps. */
export function FilterChip({
  label,
  href,
  isActive,
}: {
  label: string;
  href: string;
  isActive: boolean;
}) {
  return (
    <Link
      href={href}
      // It is this page: there is nothing to fetch.
      prefetch={false}
      onNavigate={navigateInPlace(href)}
      className={classes.chip}
      aria-current={isActive ? "true" : undefined}
    >
      {label}
    </Link>
  );
}
