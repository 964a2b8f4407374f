import { Button, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import Link from "next/link";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useEffect } from "react";

import { formatCount } from "./format.ts";
import classes from "./pagination.module.css";

/** Keyset cursor; the first page without one. */
export type PageCursor = { after?: string; before?: string };

export type RowPage = {
  data: { id: string }[];
  hasMore: boolean;
  counts?: { before: number; total: number; isCut: boolean } | null;
};

export const isFirstPage = ({ after, before }: PageCursor): boolean => !after && !before;

/** The cursor in the page's URL. */
export function usePageCursor(): PageCursor {
  const search = useSearchParams();
  const [after, before] = [search.get("after"), search.get("before")];
  if (after) return { after };
  return before ? { before } : {};
}

/**
 * Links to the previous and next page, relative to the first and last entry shown, so that new entries don't shift
 * pages. Keeps other URL parameters. Back on the first page the cursor is dropped, so that new entries appear.
 *
 * @param isPlaceholder `page` isn't complete or is the previous page, shown while the next one loads
 * @param isStale `page` has another order or other filters than the URL, so its first and last entry are no cursors
 */
export function Pagination({
  cursor,
  page,
  isPlaceholder,
  isStale = isPlaceholder,
}: {
  cursor: PageCursor;
  page: RowPage;
  isPlaceholder: boolean;
  isStale?: boolean;
}) {
  const urlAt = usePageUrl();
  const router = useRouter();
  const firstPage = urlAt({});
  const isAtStart = cursor.before !== undefined && !isPlaceholder && !page.hasMore;
  useEffect(() => {
    if (isAtStart) router.replace(firstPage);
  }, [isAtStart, router, firstPage]);

  const hasEmptied = page.data.length === 0 && !isFirstPage(cursor);
  if (hasEmptied && !isPlaceholder && !isAtStart) return <EmptiedPage firstPage={firstPage} />;
  return <PageLinks cursor={cursor} page={page} isStale={isStale} urlAt={urlAt} />;
}

type PageLinksProps = {
  cursor: PageCursor;
  page: RowPage;
  isStale: boolean;
  urlAt: (place: PageCursor) => string;
};

function PageLinks({ cursor, page, isStale, urlAt }: PageLinksProps) {
  const { previous, next } = cursorsAround(cursor, page);
  if (!previous && !next && !page.counts?.total) return null;
  return (
    <nav className={classes.pages} aria-label="Pagination">
      <PaginationLink
        href={previous && urlAt(previous)}
        label="Previous"
        side="left"
        isDisabled={isStale}
      />
      {page.counts && <PageRange rows={page.data.length} {...page.counts} />}
      <PaginationLink href={next && urlAt(next)} label="Next" side="right" isDisabled={isStale} />
    </nav>
  );
}

/** Its rows were deleted, or no longer match the filters. */
const EmptiedPage = ({ firstPage }: { firstPage: string }) => (
  <nav className={classes.emptied} aria-label="Pagination">
    <Text role="status">Nothing is left on this page.</Text>
    <Button component={Link} href={firstPage} variant="default">
      Go to first page
    </Button>
  </nav>
);

type PageRangeProps = {
  rows: number;
  before: number;
  total: number;
  isCut: boolean;
};

/** "1–50 of 306". The server stops counting at 10,000. */
function PageRange({ rows, before, total, isCut }: PageRangeProps) {
  const all = `${formatCount(total)}${isCut ? "+" : ""}`;
  const isBeyond = before >= total;
  return (
    <Text component="span" c="dimmed" className={classes.range}>
      {isBeyond ? all : `${formatCount(before + 1)}–${formatCount(before + rows)} of ${all}`}
    </Text>
  );
}

function cursorsAround(
  place: PageCursor,
  page: RowPage,
): { previous: PageCursor | null; next: PageCursor | null } {
  const [first, last] = [page.data[0], page.data.at(-1)];
  const hasPrevious = place.before === undefined ? place.after !== undefined : page.hasMore;
  const hasNext = place.before !== undefined || page.hasMore;
  return {
    previous: hasPrevious && first ? { before: first.id } : null,
    next: hasNext && last ? { after: last.id } : null,
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

type PaginationLinkProps = {
  href: string | null;
  label: string;
  side: "left" | "right";
  isDisabled: boolean;
};

function PaginationLink({ href, label, side, isDisabled }: PaginationLinkProps) {
  const icon =
    side === "left"
      ? { leftSection: <IconChevronLeft size={14} /> }
      : { rightSection: <IconChevronRight size={14} /> };
  if (href === null) return <span />;
  return (
    <Button
      component={Link}
      href={href}
      variant="default"
      aria-disabled={isDisabled || undefined}
      onClick={(event) => isDisabled && event.preventDefault()}
      {...icon}
    >
      {label}
    </Button>
  );
}
