import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import type { CSSProperties, ReactNode } from "react";

import classes from "./data-table.module.css";
import { defaultOrder, isDescending, sortKey, toggleSort } from "./list-params.ts";
import { ListCell, type ListColumn, ListRow, ListSkeleton, ListTable } from "./list-table.tsx";

export type DataColumn<Row, Order extends string = string> = Omit<ListColumn, "area" | "kind"> & {
  /** `text` if omitted. */
  kind?: ListColumn["kind"];
  /** A grid track, such as "minmax(0, 4fr)" or "116px". */
  width: string;
  cell: (row: Row) => ReactNode;
  /** The order that the server offers for it, in the direction of the first click. */
  sort?: Order;
  /** Offered in the column chooser. */
  canHide?: boolean;
};

export type ListLayout<Row, Order extends string = string> = {
  /** What the list has, as in "No matching emails". */
  noun: string;
  /** The accessible name of the table. */
  label: string;
  /** By their areas in the grid, in order. */
  columns: Readonly<Record<string, DataColumn<Row, Order>>>;
  /** The order without a parameter in the URL. */
  standardSort?: Order;
  /** The grid template of a row on phones, with the columns' areas. */
  phone: string;
  /** For what the template can't say. */
  className?: string | undefined;
};

type TableProps<Row> = {
  layout: ListLayout<Row>;
  /** Areas of hidden columns. */
  hidden?: ReadonlySet<string> | undefined;
};

/**
 * A list whose columns can be sorted by the server and hidden.
 *
 * @param sort the current order
 */
export function DataTable<Row extends { id: string }>({
  layout,
  hidden,
  rows,
  sort,
}: TableProps<Row> & { rows: readonly Row[]; sort?: string | undefined }) {
  const shown = shownColumns(layout, hidden);
  return (
    <div style={gridOf(layout, hidden)} className={layout.className}>
      <ListTable
        label={layout.label}
        columns={byArea(shown)}
        grid={classes.grid}
        sorting={(column) => {
          const order = shown.find(({ area }) => area === column.area)?.sort;
          if (order === undefined || sort === undefined) return null;
          const isSorted = sortKey(sort) === sortKey(order);
          const direction = !isSorted ? null : isDescending(sort) ? "descending" : "ascending";
          return {
            direction,
            header: (
              <SortButton
                label={column.header}
                direction={direction}
                onClick={() => toggleSort(order, defaultOrder(layout))}
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

type SortButtonProps = {
  label: string;
  direction: "ascending" | "descending" | null;
  onClick: () => void;
};

function SortButton({ label, direction, onClick }: SortButtonProps) {
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
export const DataTableSkeleton = <Row,>({
  layout,
  hidden,
  rows,
}: TableProps<Row> & { rows: number }) => (
  <div style={gridOf(layout, hidden)} className={layout.className}>
    <ListSkeleton rows={rows} columns={byArea(shownColumns(layout, hidden))} grid={classes.grid} />
  </div>
);

const shownColumns = <Row,>({ columns }: ListLayout<Row>, hidden?: ReadonlySet<string>) =>
  Object.entries(columns)
    .map(([area, column]) => ({ kind: "text" as const, ...column, area }))
    .filter(({ area, canHide }) => !canHide || !hidden?.has(area));

const byArea = (columns: readonly ListColumn[]) =>
  Object.fromEntries(columns.map((column) => [column.area, column]));

function gridOf<Row>(layout: ListLayout<Row>, hidden?: ReadonlySet<string>): CSSProperties {
  const shown = shownColumns(layout, hidden);
  const template = (columns: typeof shown) =>
    `"${columns.map(({ area }) => area).join(" ")}" / ${columns.map(({ width }) => width).join(" ")}`;
  return {
    "--grid-wide": template(shown),
    "--grid-medium": template(shown.filter(({ isOptional }) => !isOptional)),
    "--grid-phone": layout.phone,
  } as CSSProperties;
}
