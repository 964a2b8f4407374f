import { Button, NativeSelect } from "@mantine/core";
import { IconColumns3, IconDownload } from "@tabler/icons-react";

import { useInBrowser } from "#app/console/use-in-browser.ts";

import type { ListLayout } from "./data-table.tsx";
import { defaultOrder, isDescending, reversed, toggleColumn } from "./list-params.ts";
import classes from "./list-tools.module.css";
import { Menu } from "./menu.tsx";
import { SavedViews } from "./saved-views.tsx";
import { updateSearch } from "./url-search.ts";

/**
 * What can be done with a list as it is shown: save the view, choose columns, download it, and on phones, which have
 * no column headers, sort it.
 *
 * @param exportUrl the CSV export, with the list's filters
 * @param hasViews whether views can be saved
 */
export function ListTools<Row>({
  layout,
  params: { sort, hidden },
  exportUrl,
  hasViews = false,
}: {
  layout: ListLayout<Row>;
  params: ListParams;
  exportUrl?: string;
  hasViews?: boolean;
}) {
  const canHide = Object.values(layout.columns).some((column) => column.canHide);
  // The server doesn't know the reader's time zone, so it would link the export of other days.
  const href = useInBrowser(exportUrl);
  const isOnlySort = !hasViews && !exportUrl && !canHide;
  return (
    <div className={classes.tools} data-tools data-phone={isOnlySort || undefined}>
      <SortSelect layout={layout} sort={sort} />
      {hasViews && <SavedViews />}
      <ColumnChooser layout={layout} hidden={hidden} />
      {exportUrl && (
        <Button
          component="a"
          href={href}
          download
          variant="default"
          size="sm"
          leftSection={<IconDownload size={14} />}
        >
          Download CSV
        </Button>
      )}
    </div>
  );
}

export type ListParams = { sort: string; hidden: ReadonlySet<string> };

function ColumnChooser<Row>({
  layout,
  hidden,
}: {
  layout: ListLayout<Row>;
  hidden: ReadonlySet<string>;
}) {
  const optional = Object.entries(layout.columns).filter(([, { canHide }]) => canHide);
  if (optional.length === 0) return null;
  return (
    <Menu
      closeOnItemClick={false}
      button={
        <Button
          variant="default"
          size="sm"
          className={classes.columns}
          leftSection={<IconColumns3 size={14} />}
        >
          Columns
        </Button>
      }
    >
      {optional.map(([area, { header }]) => (
        <Menu.CheckboxItem
          key={area}
          checked={!hidden.has(area)}
          onChange={() => toggleColumn(area)}
        >
          {header}
        </Menu.CheckboxItem>
      ))}
    </Menu>
  );
}

function SortSelect<Row>({ layout, sort }: { layout: ListLayout<Row>; sort: string }) {
  const options = Object.values(layout.columns).flatMap(({ header, sort: order }) =>
    order === undefined ? [] : [option(header, order), option(header, reversed(order))],
  );
  if (options.length === 0) return null;
  const standard = defaultOrder(layout);
  return (
    <NativeSelect
      aria-label="Sort by"
      size="sm"
      className={classes.sort}
      value={sort}
      data={options}
      onChange={({ currentTarget: { value } }) =>
        updateSearch({ sort: value === standard ? "" : value })
      }
    />
  );
}

const option = (header: string, order: string) => ({
  value: order,
  label: `${header}, ${isDescending(order) ? "descending" : "ascending"}`,
});
