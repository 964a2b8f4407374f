"use client";

import { Button, Menu, NativeSelect } from "@mantine/core";
import { IconColumns3, IconDownload } from "@tabler/icons-react";
import { useSearchParams } from "next/navigation";

import type { DataColumn } from "./data-table.tsx";
import { toggleColumn } from "./list-params.ts";
import classes from "./list-tools.module.css";
import { updateSearch } from "./url-search.ts";

/**
 * What can be done with a list as it is shown: choose columns, download it, and on phones, which have no column
 * headers, sort it.
 *
 * @param exportPath the CSV export, which takes the list's filters and order
 */
export function ListTools<Row>({
  columns,
  hidden,
  sort,
  exportPath,
  exportQuery,
}: {
  columns: readonly DataColumn<Row>[];
  hidden: ReadonlySet<string>;
  sort?: string;
  exportPath: string;
  exportQuery: Record<string, string>;
}) {
  const query = new URLSearchParams(exportQuery).toString();
  const optional = columns.filter(({ canHide }) => canHide);
  return (
    <div className={classes.tools}>
      {sort !== undefined && <SortSelect columns={columns} sort={sort} />}
      <Menu position="bottom-end" closeOnItemClick={false} returnFocus>
        <Menu.Target>
          <Button
            variant="default"
            size="sm"
            className={classes.columns}
            leftSection={<IconColumns3 size={14} />}
          >
            Columns
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {optional.map(({ area, header }) => (
            <Menu.CheckboxItem
              key={area}
              checked={!hidden.has(area)}
              onChange={() => toggleColumn(hidden, area)}
            >
              {header}
            </Menu.CheckboxItem>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button
        component="a"
        href={query ? `${exportPath}?${query}` : exportPath}
        download
        variant="default"
        size="sm"
        leftSection={<IconDownload size={14} />}
      >
        Download CSV
      </Button>
    </div>
  );
}

function SortSelect<Row>({ columns, sort }: { columns: readonly DataColumn<Row>[]; sort: string }) {
  const isSortable = (column: DataColumn<Row>): column is DataColumn<Row> & { sort: string } =>
    column.sort !== undefined;
  const sortable = columns.filter(isSortable);
  return (
    <NativeSelect
      aria-label="Sort by"
      size="sm"
      className={classes.sort}
      value={useSearchParams().get("sort") ?? sort}
      data={sortable.flatMap(({ header, sort: key }) => [
        { value: key, label: `${header}, ascending` },
        { value: `-${key}`, label: `${header}, descending` },
      ])}
      onChange={(event) => updateSearch({ sort: event.currentTarget.value })}
    />
  );
}
