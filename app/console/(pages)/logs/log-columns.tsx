import type { AnswerOf } from "#app/console/console-client.ts";
import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { formatLatency } from "#app/console/ui/format.ts";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { createdColumn, statusColumn } from "#app/console/ui/list-columns.tsx";
import { CopyItem, LinkItem, menuColumn } from "#app/console/ui/row-menu.tsx";

import { statusLabel } from "./log-labels.ts";
import classes from "./logs.module.css";

export type RequestLogPage = AnswerOf<"logs.list">;

export const LOG_LIST: ListLayout<RequestLogPage["data"][number], "-created"> = {
  noun: "requests",
  label: "API requests",
  className: classes.list,
  columns: {
    request: {
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
    status: statusColumn("172px", ({ status }) => statusLabel(status)),
    error: {
      header: "Error",
      width: "minmax(0, 6fr)",
      isMuted: true,
      canHide: true,
      cell: ({ error, message }) => <span title={message ?? undefined}>{message ?? error}</span>,
    },
    key: {
      header: "API key",
      width: "minmax(0, 3fr)",
      isOptional: true,
      canHide: true,
      cell: ({ apiKey: key }) => key?.name,
    },
    address: {
      header: "IP address",
      width: "minmax(0, 2fr)",
      isMuted: true,
      isOptional: true,
      canHide: true,
      cell: ({ clientAddress }) => clientAddress,
    },
    duration: {
      header: "Duration",
      kind: "number",
      width: "84px",
      isMuted: true,
      isOptional: true,
      canHide: true,
      cell: ({ durationMs }) => durationMs !== null && formatLatency(durationMs),
    },
    created: createdColumn("Time"),
    menu: menuColumn(
      ({ method, path }) => `${method} ${path}`,
      ({ id, path, apiKey: key, clientAddress: address }) => (
        <>
          <LinkItem href={requestsWith({ endpoint: path })}>Show requests with this path</LinkItem>
          {key && (
            <LinkItem href={requestsWith({ apiKey: key.id })}>Show requests with this key</LinkItem>
          )}
          {address && (
            <LinkItem href={requestsWith({ address })}>Show requests from this IP address</LinkItem>
          )}
          <CopyItem value={id}>Copy ID</CopyItem>
        </>
      ),
    ),
  },
  phone: `"request request menu" auto "status created created" auto "error error error" auto / minmax(0, 1fr) auto 28px`,
};

const requestsWith = (filter: Record<string, string>) =>
  `/console/logs?${new URLSearchParams(filter).toString()}`;
