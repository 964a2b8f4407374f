import { Menu } from "@mantine/core";

import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { CopyItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import type { TemplateRow } from "./queries.ts";
import { templateStatus } from "./template-status.ts";

type TemplateActions = Record<"onDuplicate" | "onDelete", (template: TemplateRow) => void>;

export const templateList = ({
  onDuplicate,
  onDelete,
}: TemplateActions): ListLayout<TemplateRow> => ({
  noun: "templates",
  label: "Templates",
  standardSort: "-changed",
  columns: [
    {
      area: "name",
      header: "Name",
      kind: "name",
      width: "minmax(0, 5fr)",
      sort: "name",
      cell: ({ id, name }) => <ListRowLink href={`/console/templates/${id}`}>{name}</ListRowLink>,
    },
    {
      area: "alias",
      header: "Alias",
      kind: "text",
      width: "minmax(0, 3fr)",
      isMuted: true,
      isOptional: true,
      cell: ({ alias }) => alias,
    },
    {
      area: "status",
      header: "Status",
      kind: "status",
      width: "176px",
      cell: ({ status, hasDraft }) => <Status {...templateStatus(status, hasDraft)} />,
    },
    {
      area: "updated",
      header: "Changed",
      kind: "moment",
      width: "116px",
      isOptional: true,
      sort: "-changed",
      cell: ({ updatedAt: at }) => <RelativeTime at={at} />,
    },
    menuColumn(
      ({ name }) => name,
      (template) => (
        <>
          <Menu.Item onClick={() => onDuplicate(template)}>Duplicate template</Menu.Item>
          <CopyItem value={template.id}>Copy ID</CopyItem>
          <Menu.Item c="var(--mantine-color-error)" onClick={() => onDelete(template)}>
            Delete template
          </Menu.Item>
        </>
      ),
    ),
  ],
  phone: `"name menu" auto "status status" auto / minmax(0, 1fr) auto`,
});
