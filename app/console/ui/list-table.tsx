import { VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";

import classes from "./list-table.module.css";
import { PrefetchLink } from "./links.tsx";
import { useRowClicks } from "./use-row-clicks.ts";
import { useRowShortcuts } from "./use-row-shortcuts.ts";

export type ListColumn = {
  /** Its area in the list's `--grid` template. */
  area: string;
  header: string;
  /** `name` holds the row's link, which a click on any other cell also opens, except on `actions`, which holds controls. */
  kind: "name" | "text" | "number" | "status" | "moment" | "actions";
  isMuted?: boolean;
  /** Long text wraps instead of being cut. */
  wraps?: boolean;
  /** Hidden on narrow screens. */
  isOptional?: boolean;
};

type Columns = Record<string, ListColumn>;

/**
 * A table of links with keyboard navigation (`j`, `k`, Enter). On phones the style sheet turns rows into
 * cards. Roles are explicit because `display: grid` drops the implicit ones.
 *
 * @param grid class that sets `--grid`, a grid template with the columns' areas, for every width
 */
export function ListTable({
  label,
  columns,
  grid,
  sorting = () => null,
  children,
}: {
  label: string;
  columns: Columns;
  grid: string | undefined;
  /** The header of a sortable column; null for others. */
  sorting?: (
    column: ListColumn,
  ) => { direction: "ascending" | "descending" | null; header: ReactNode } | null;
  children: ReactNode;
}) {
  const table = useRowShortcuts<HTMLTableElement>();
  useRowClicks(table);
  return (
    <table ref={table} role="table" className={`${classes.table} ${grid}`} aria-label={label}>
      <thead role="rowgroup">
        <tr role="row" className={classes.columns}>
          {Object.values(columns).map((column) => {
            const sorted = sorting(column);
            const isHidden = column.kind === "actions";
            return (
              <th
                key={column.area}
                role="columnheader"
                aria-sort={sorted?.direction ?? undefined}
                {...cellProps(column)}
              >
                {isHidden ? <VisuallyHidden>{column.header}</VisuallyHidden> : null}
                {!isHidden && (sorted?.header ?? column.header)}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody role="rowgroup">{children}</tbody>
    </table>
  );
}

/** @param children cells in column order */
export function ListRow({ children }: { children: ReactNode }) {
  return (
    <tr role="row" className={classes.row}>
      {children}
    </tr>
  );
}

export function ListCell({ column, children }: { column: ListColumn; children: ReactNode }) {
  return (
    <td role="cell" {...cellProps(column)}>
      {children}
    </td>
  );
}

/** The unit of a number, shown only on phones, where columns have no headers. */
export const CellUnit = ({ children }: { children: ReactNode }) => (
  <span className={classes.onPhones}>{children}</span>
);

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
    <PrefetchLink
      href={href}
      title={title}
      data-row-link
      // Dragging selects its text.
      draggable={false}
      className={classes.link}
    >
      {children}
    </PrefetchLink>
  );
}

/** A placeholder as high as a list with this many rows. Without components, as a list can have hundreds of cells. */
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
            <span key={column.area} {...cellProps(column)}>
              <span
                className={classes.placeholder}
                style={{ width: SKELETON_WIDTHS[column.kind] ?? variedWidth(row, index) }}
              />
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}

const SKELETON_WIDTHS: Partial<Record<ListColumn["kind"], number>> = {
  status: 76,
  moment: 88,
  number: 24,
};
const variedWidth = (row: number, column: number) => `${50 + ((row * 13 + column * 17) % 40)}%`;

function cellProps({ area, kind, isMuted, wraps, isOptional }: ListColumn) {
  return {
    style: { gridArea: area },
    "data-kind": kind,
    "data-quiet": isMuted,
    "data-wraps": wraps,
    "data-extra": isOptional,
  };
}
