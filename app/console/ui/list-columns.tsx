import type { DataColumn } from "./data-table.tsx";
import { ListRowLink } from "./list-table.tsx";
import { Status, type StatusTone } from "./status.tsx";
import { RelativeTime } from "./time.tsx";

// Columns that several lists have.

export const SUBJECT_COLUMN: DataColumn<{ subject: string | null }, never> = {
  header: "Subject",
  width: "minmax(0, 5fr)",
  cell: ({ subject }) => subject || "(no subject)",
};

/** Links to a message by its sender. */
export const senderColumn = <Row extends { id: string }>(
  path: string,
  nameOf: (row: Row) => string,
  titleOf?: (row: Row) => string,
): DataColumn<Row, never> => ({
  header: "From",
  kind: "name",
  width: "minmax(0, 4fr)",
  cell: (row) => (
    <ListRowLink href={`${path}/${row.id}`} {...(titleOf && { title: titleOf(row) })}>
      {nameOf(row)}
    </ListRowLink>
  ),
});

/** "ann@example.com +2" */
export const recipientsColumn = <Row,>(
  recipientsOf: (row: Row) => readonly string[],
): DataColumn<Row, never> => ({
  header: "To",
  width: "minmax(0, 4fr)",
  isOptional: true,
  canHide: true,
  cell(row) {
    const [first = "", ...others] = recipientsOf(row);
    return others.length > 0 ? `${first} +${others.length}` : first;
  },
});

/** When a row was created. The server can sort by it. */
export const createdColumn = (header: string): DataColumn<{ createdAt: string }, "-created"> => ({
  header,
  kind: "moment",
  width: "116px",
  sort: "-created",
  cell: ({ createdAt: at }) => <RelativeTime at={at} />,
});

export const statusColumn = <Row,>(
  width: string,
  statusOf: (row: Row) => { label: string; tone: StatusTone },
  header = "Status",
): DataColumn<Row, never> => ({
  header,
  kind: "status",
  width,
  cell: (row) => <Status {...statusOf(row)} />,
});
