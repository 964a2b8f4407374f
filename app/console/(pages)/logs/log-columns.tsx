import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { CopyItem, LinkItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { statusLabel } from "./log-labels.ts";
import classes from "./log-list.module.css";
import type { LogRow } from "./queries.ts";

export const LOG_LIST: ListLayout<LogRow> = {
  noun: "requests",
  label: "API requests",
  className: classes.list,
  columns: [
    {
      area: "request",
      header: "Request",
      kind: "name",
      width: "minmax(0, 6fr)",
      cell: ({ id, method, path }) => (
        <>
          <span className={classes.method}>{method}</span>
          <ListRowLink href={`/console/logs/${id}`} title={path}>
            {path}
          </ListRowLink>
        </>
      ),
    },
    {
      area: "status",
      header: "Status",
      kind: "status",
      width: "172px",
      cell: ({ status }) => <Status {...statusLabel(status)} />,
    },
    {
      area: "key",
      header: "API key",
      kind: "text",
      width: "minmax(0, 3fr)",
      isOptional: true,
      canHide: true,
      cell: ({ apiKey: key }) => key?.name,
    },
    {
      area: "agent",
      header: "User agent",
      kind: "text",
      width: "minmax(0, 4fr)",
      isMuted: true,
      isOptional: true,
      canHide: true,
      cell: ({ userAgent: agent }) => agent,
    },
    {
      area: "at",
      header: "Time",
      kind: "moment",
      width: "116px",
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    menuColumn(
      ({ method, path }) => `${method} ${path}`,
      ({ id, path, apiKey: key }) => (
        <>
          <LinkItem href={requestsWith({ endpoint: path })}>Show requests with this path</LinkItem>
          {key && (
            <LinkItem href={requestsWith({ apiKey: key.id })}>Show requests with this key</LinkItem>
          )}
          <CopyItem value={id}>Copy ID</CopyItem>
        </>
      ),
    ),
  ],
  phone: `"request menu" auto "status at" auto / minmax(0, 1fr) auto`,
};

const requestsWith = (filter: Record<string, string>) =>
  `/console/logs?${new URLSearchParams(filter).toString()}`;
