"use client";

import { Skeleton, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";

import classes from "./list-table.module.css";
import { PrefetchLink } from "./prefetch-link.tsx";
import { useRowShortcuts } from "./use-row-shortcuts.ts";

/** A column of a list. */
export type ListColumn = {
  /** Its place in the list's `--grid`. */
  area: string;
  header: string;
  /** `name` holds the row's link, which is the whole row's; `actions` what can be done without opening it. */
  kind: "name" | "text" | "number" | "status" | "moment" | "actions";
  isMuted?: boolean;
  /** Left out where there is little room. */
  isOptional?: boolean;
};

type Columns = Record<string, ListColumn>;

/**
 * A list, one entry a row, which `j`, `k` and Enter walk; its children are rows. One markup for every
 * width: on a phone the style sheet makes cards of the rows. The roles are spelled out since a row that is
 * laid out as a grid loses its own.
 *
 * @param grid class that sets `--grid`, a grid template with the areas of the columns, for every width
 */
export function ListTable({
  label,
  columns,
  grid,
  children,
}: {
  label: string;
  columns: Columns;
  grid: string | undefined;
  children: ReactNode;
}) {
  const table = useRowShortcuts<HTMLTableElement>();
  return (
    <table ref={table} role="table" className={`${classes.table} ${grid}`} aria-label={label}>
      <thead role="rowgroup">
        <tr role="row" className={classes.columns}>
          {Object.values(columns).map((column) => (
            <th key={column.area} role="columnheader" {...placeOf(column)}>
              {column.kind === "actions" ? (
                <VisuallyHidden>{column.header}</VisuallyHidden>
              ) : (
                column.header
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">{children}</tbody>
    </table>
  );
}

/** One entry; its children are cells, in the order of the columns. */
export function ListRow({ children }: { children: ReactNode }) {
  return (
    <tr role="row" className={classes.row}>
      {children}
    </tr>
  );
}

export function ListCell({ column, children }: { column: ListColumn; children: ReactNode }) {
  return (
    <td role="cell" {...placeOf(column)}>
      {children}
    </td>
  );
}

/** Where a row leads. */
export function ListRowLink({
  href,
  title,
  children,
}: {
  href: string;
  title?: string;
  children: ReactNode;
}) {
  return (
    <PrefetchLink href={href} title={title} data-row-link className={classes.link}>
      {children}
    </PrefetchLink>
  );
}

/** As high as a list of so many rows. */
export function ListSkeleton({
  columns,
  grid,
  rows,
}: {
  columns: Columns;
  grid: string | undefined;
  rows: number;
}) {
  const shown = Object.values(columns).filter(({ kind }) => kind !== "actions");
  return (
    <div className={`${classes.table} ${grid}`}>
      <div className={classes.columns} />
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={classes.row}>
          {shown.map((column, index) => (
            <span key={column.area} {...placeOf(column)}>
              <Skeleton height={12} width={SKELETON_WIDTHS[column.kind] ?? unevenly(row, index)} />
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}

const SKELETON_WIDTHS: Partial<Record<ListColumn["kind"], number>> = {
  ...{ status: 76, moment: 88, number: 24 },
};
const unevenly = (row: number, column: number) => `${50 + ((row * 13 + column * 17) % 40)}%`;

function placeOf({ area, kind, isMuted, isOptional }: ListColumn) {
  return {
    style: { gridArea: area },
    "data-kind": kind,
    "data-quiet": isMuted,
    "data-extra": isOptional,
  };
}
