"use client";

import { Button } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import Link from "next/link";

import classes from "./pages-of-list.module.css";
import type { EmailPage, Place } from "./queries.ts";

/** Steps through the list by the first and last email shown, so that new ones do not shift the pages. */
export function PagesOfList({ place, page }: { place: Place; page: EmailPage }) {
  const [first, last] = [page.data[0], page.data.at(-1)];
  const hasNewer = place.before === undefined ? place.after !== undefined : page.has_more;
  const hasOlder = place.before !== undefined || page.has_more;
  if (!hasNewer && !hasOlder) return null;
  return (
    <nav className={classes.pages} aria-label="Pages of the list">
      <Step href={hasNewer && first ? `?before=${first.id}` : null} label="Newer" />
      <Step href={hasOlder && last ? `?after=${last.id}` : null} label="Older" />
    </nav>
  );
}

function Step({ href, label }: { href: string | null; label: "Newer" | "Older" }) {
  const icon =
    label === "Newer"
      ? { leftSection: <IconChevronLeft size={14} /> }
      : { rightSection: <IconChevronRight size={14} /> };
  if (href === null) return <span />;
  return (
    <Button component={Link} href={href} variant="default" {...icon}>
      {label}
    </Button>
  );
}
