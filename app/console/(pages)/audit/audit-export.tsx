import { Button, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

import type { SortOf, TIME_SORTS } from "#app/console/ui/list-params.ts";

import type { AuditFilterValues } from "./filter-values.ts";
import { auditExportUrl } from "./queries.ts";

/** Downloads the filtered entries in the list's order. */
export function AuditExport({
  filters,
  sort,
}: {
  filters: AuditFilterValues;
  sort: SortOf<typeof TIME_SORTS>;
}) {
  return (
    <Menu position="bottom-end" returnFocus>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={14} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={auditExportUrl(filters, sort, "csv")} download>
          Export as CSV
        </Menu.Item>
        <Menu.Item component="a" href={auditExportUrl(filters, sort, "json")} download>
          Export as JSON
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
