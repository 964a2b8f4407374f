import Link from "next/link";
import type { ReactNode } from "react";

import classes from "./filter-chips.module.css";
import { navigateInPlace } from "./url-search.ts";

/** The options of one filter. */
export function FilterChips({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav aria-label={label} className={classes.chips}>
      {children}
    </nav>
  );
}

/** A filter option that links to the same page with other URL parameters. */
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
      // Same page: nothing to prefetch.
      prefetch={false}
      onNavigate={navigateInPlace(href)}
      className={classes.chip}
      aria-current={isActive ? "true" : undefined}
    >
      {label}
    </Link>
  );
}
