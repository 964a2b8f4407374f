"use client";

import { Button } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import Link from "next/link";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useEffect } from "react";

import classes from "./pagination.module.css";

/** Where a page of a list begins or ends; without either, at the newest. */
export type PageCursor = { after?: string; before?: string };

type Listed = { data: { id: string }[]; has_more: boolean };

/** The place that the page's URL names. */
export function usePageCursor(): PageCursor {
  const search = useSearchParams();
  const [after, before] = [search.get("after"), search.get("before")];
  if (after) return { after };
  return before ? { before } : {};
}

/**
 * Steps through a list by the first and last entry shown, so that new ones do not shift the pages. What
 * else stands in the URL, such as filters, stays there. Paged back to the top, the place goes: from
 * there on the newest belong on the page.
 *
 * @param isFormer the page of another place, shown until that of this one is there
 */
export function Pagination({
  cursor,
  page,
  isPlaceholder,
  labels = { newer: "Newer", older: "Older" },
}: {
  cursor: PageCursor;
  page: Listed;
  isPlaceholder: boolean;
  /** What the two steps are called, where the list does not go by time. */
  labels?: { newer: string; older: string };
}) {
  const at = useAddresses();
  const router = useRouter();
  const top = at({});
  const isTop = cursor.before !== undefined && !isPlaceholder && !page.has_more;
  useEffect(() => {
    if (isTop) router.replace(top);
  }, [isTop, router, top]);

  const { newer, older } = stepsFrom(cursor, page);
  if (!newer && !older) return null;
  return (
    <nav className={classes.pages} aria-label="Pages of the list">
      <Step href={newer && at(newer)} label={labels.newer} side="left" />
      <Step href={older && at(older)} label={labels.older} side="right" />
    </nav>
  );
}

function stepsFrom(
  place: PageCursor,
  page: Listed,
): { newer: PageCursor | null; older: PageCursor | null } {
  const [first, last] = [page.data[0], page.data.at(-1)];
  const hasNewer = place.before === undefined ? place.after !== undefined : page.has_more;
  const hasOlder = place.before !== undefined || page.has_more;
  return {
    newer: hasNewer && first ? { before: first.id } : null,
    older: hasOlder && last ? { after: last.id } : null,
  };
}

/** The URLs of this page at other places. */
function useAddresses(): (place: PageCursor) => string {
  const pathname = usePathname();
  const search = useSearchParams();
  return (place) => {
    const others = new URLSearchParams(search);
    for (const name of ["after", "before"]) others.delete(name);
    const query = new URLSearchParams([...others, ...Object.entries(place)]).toString();
    return query ? `${pathname}?${query}` : pathname;
  };
}

function Step({
  href,
  label,
  side,
}: {
  href: string | null;
  label: string;
  side: "left" | "right";
}) {
  const icon =
    side === "left"
      ? { leftSection: <IconChevronLeft size={14} /> }
      : { rightSection: <IconChevronRight size={14} /> };
  if (href === null) return <span />;
  return (
    <Button component={Link} href={href} variant="default" {...icon}>
      {label}
    </Button>
  );
}
