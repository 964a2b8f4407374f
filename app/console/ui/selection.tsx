import { Checkbox } from "@mantine/core";
import { useState } from "react";

import type { DataColumn } from "./data-table.tsx";
import classes from "./selection.module.css";

export type Selection<Row extends { id: string }> = {
  /** By ID, as they were last shown. */
  chosen: ReadonlyMap<string, Row>;
  setChosen: (chosen: ReadonlyMap<string, Row>) => void;
  choose: (row: Row, isChosen: boolean) => void;
};

/** The rows that are selected for a bulk action, on all pages of a list. */
export function useSelection<Row extends { id: string }>(): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());
  const choose = (row: Row, isChosen: boolean) =>
    setChosen((before) => {
      const after = new Map(before);
      if (isChosen) after.set(row.id, row);
      else after.delete(row.id);
      return after;
    });
  return { chosen, setChosen, choose };
}

export const byId = <Row extends { id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [row.id, row]));

/** The column with the rows' checkboxes. */
export const selectColumn = <Row extends { id: string }>(
  { chosen, choose }: Selection<Row>,
  nameOf: (row: Row) => string,
): DataColumn<Row> => ({
  header: "Select",
  kind: "actions",
  width: "20px",
  cell: (row) => (
    <Checkbox
      className={classes.box}
      aria-label={`Select ${nameOf(row)}`}
      checked={chosen.has(row.id)}
      onChange={(event) => choose(row, event.currentTarget.checked)}
    />
  ),
});
