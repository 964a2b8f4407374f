"use client";

import { Button } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import Link from "next/link";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useEffect } from "react";

import classes from "./pagination.module.css";

/** Keyset cursor; the newest entries without one. */
export type PageCursor = { after?: string; before?: string };

type ListPage = { data: { id: string }[]; has_more: boolean };

/** The cursor in the page's URL. */
export function usePageCursor(): PageCursor {
  const search = useSearchParams();
  const [after, before] = [search.get("after"), search.get("before")];
  if (after) return { after };
  return before ? { before } : {};
}

/**
 * Links to newer and older entries, relative to the first and last entry shown, so that new entries don't
 * shift pages. Keeps other URL parameters. Back on the first page the cursor is dropped, so that new
 * entries appear.
 *
 * @param isPlaceholder `page` is the previous page, shown while the next one loads
 */
export function Pagination({
  cursor,
  page,
  isPlaceholder,
  labels = { newer: "Newer", older: "Older" },
}: {
  cursor: PageCursor;
  page: ListPage;
  isPlaceholder: boolean;
  /** For lists that aren't sorted by time. */
  labels?: { newer: string; older: string };
}) {
  const urlAt = usePageUrl();
  const router = useRouter();
  const firstPage = urlAt({});
  const isFirstPage = cursor.before !== undefined && !isPlaceholder && !page.has_more;
  useEffect(() => {
    if (isFirstPage) router.replace(firstPage);
  }, [isFirstPage, router, firstPage]);

  const { newer, older } = cursorsAround(cursor, page);
  if (!newer && !older) return null;
  return (
    <nav className={classes.pages} aria-label="Pagination">
      <PaginationLink href={newer && urlAt(newer)} label={labels.newer} side="left" />
      <PaginationLink href={older && urlAt(older)} label={labels.older} side="right" />
    </nav>
  );
}

function cursorsAround(
  place: PageCursor,
  page: ListPage,
): { newer: PageCursor | null; older: PageCursor | null } {
  const [first, last] = [page.data[0], page.data.at(-1)];
  const hasNewer = place.before === undefined ? place.after !== undefined : page.has_more;
  const hasOlder = place.before !== undefined || page.has_more;
  return {
    newer: hasNewer && first ? { before: first.id } : null,
    older: hasOlder && last ? { after: last.id } : null,
  };
}

/** Builds URLs of this page for other cursors. */
function usePageUrl(): (place: PageCursor) => string {
  const pathname = usePathname();
  const search = useSearchParams();
  return (place) => {
    const others = new URLSearchParams(search);
    for (const name of ["after", "before"]) others.delete(name);
    const query = new URLSearchParams([...others, ...Object.entries(place)]).toString();
    return query ? `${pathname}?${query}` : pathname;
  };
}

function PaginationLink({
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
