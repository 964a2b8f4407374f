"use client";

import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import type { CSSProperties, ReactNode } from "react";

import classes from "./data-table.module.css";
import { isDescending, sortKey, toggleSort } from "./list-params.ts";
import { ListCell, type ListColumn, ListRow, ListSkeleton, ListTable } from "./list-table.tsx";

export type DataColumn<Row> = ListColumn & {
  /** A grid track, such as "minmax(0, 4fr)" or "116px". */
  width: string;
  cell: (row: Row) => ReactNode;
  /** The order that the server offers for it. */
  sort?: string;
  /** Offered in the column chooser. */
  canHide?: boolean;
};

type Layout<Row> = {
  columns: readonly DataColumn<Row>[];
  /** Areas of hidden columns. */
  hidden?: ReadonlySet<string>;
  /** The grid template of a row on phones, with the columns' areas. */
  phone: string;
};

/**
 * A list whose columns can be sorted by the server and hidden.
 *
 * @param sort the current order; the first sortable column is the default order
 */
export function DataTable<Row extends { id: string }>({
  label,
  rows,
  sort,
  ...layout
}: Layout<Row> & { label: string; rows: readonly Row[]; sort?: string }) {
  const shown = shownColumns(layout);
  const defaultKey = layout.columns.find((column) => column.sort)?.sort;
  return (
    <div style={gridOf(layout)}>
      <ListTable
        label={label}
        columns={byArea(shown)}
        grid={classes.grid}
        sorting={(column) => {
          const key = shown.find(({ area }) => area === column.area)?.sort;
          if (key === undefined || sort === undefined) return null;
          const direction =
            sortKey(sort) !== key ? null : isDescending(sort) ? "descending" : "ascending";
          return {
            direction,
            header: (
              <SortButton
                label={column.header}
                direction={direction}
                onClick={() => toggleSort(sort, key, key === defaultKey)}
              />
            ),
          };
        }}
      >
        {rows.map((row) => (
          <ListRow key={row.id}>
            {shown.map((column) => (
              <ListCell key={column.area} column={column}>
                {column.cell(row)}
              </ListCell>
            ))}
          </ListRow>
        ))}
      </ListTable>
    </div>
  );
}

function SortButton({
  label,
  direction,
  onClick,
}: {
  label: string;
  direction: "ascending" | "descending" | null;
  onClick: () => void;
}) {
  const Icon = direction === "descending" ? IconArrowDown : IconArrowUp;
  return (
    <button
      type="button"
      className={classes.sort}
      data-active={direction !== null}
      onClick={onClick}
    >
      {label}
      <Icon size={12} aria-hidden="true" />
    </button>
  );
}

/** A placeholder as high as a list with this many rows. */
export function DataTableSkeleton<Row>({ rows, ...layout }: Layout<Row> & { rows: number }) {
  return (
    <div style={gridOf(layout)}>
      <ListSkeleton rows={rows} columns={byArea(shownColumns(layout))} grid={classes.grid} />
    </div>
  );
}

const shownColumns = <Row,>({ columns, hidden }: Layout<Row>) =>
  columns.filter(({ area, canHide }) => !canHide || !hidden?.has(area));

const byArea = (columns: readonly ListColumn[]) =>
  Object.fromEntries(columns.map((column) => [column.area, column]));

function gridOf<Row>(layout: Layout<Row>): CSSProperties {
  const shown = shownColumns(layout);
  const template = (columns: readonly DataColumn<Row>[]) =>
    `"${columns.map(({ area }) => area).join(" ")}" / ${columns.map(({ width }) => width).join(" ")}`;
  return {
    "--grid-wide": template(shown),
    "--grid-medium": template(shown.filter(({ isOptional }) => !isOptional)),
    "--grid-phone": layout.phone,
  } as CSSProperties;
}
