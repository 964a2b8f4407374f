import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
  RowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./log-list.module.css";
import { statusLabel } from "./log-labels.ts";
import { type LogRow, ROWS_PER_PAGE } from "./queries.ts";

const columns = {
  request: { area: "request", head: "Request", kind: "name" },
  status: { area: "status", head: "Status", kind: "status" },
  key: { area: "key", head: "API key", kind: "text", isExtra: true },
  agent: { area: "agent", head: "User agent", kind: "text", isQuiet: true, isExtra: true },
  at: { area: "at", head: "Time", kind: "moment" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };

export function LogList({ logs }: { logs: LogRow[] }) {
  return (
    <ListTable label="API requests, newest first" {...layout}>
      {logs.map((log) => (
        <ListRow key={log.id}>
          <Cell of={columns.request}>
            <span className={classes.method}>{log.method}</span>
            <RowLink href={`/console/logs/${log.id}`} title={log.path}>
              {log.path}
            </RowLink>
          </Cell>
          <Cell of={columns.status}>
            <Status {...statusLabel(log.status)} />
          </Cell>
          <Cell of={columns.key}>{log.api_key?.name}</Cell>
          <Cell of={columns.agent}>{log.user_agent}</Cell>
          <Cell of={columns.at}>
            <RelativeMoment at={log.created_at} />
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const SKELETON_ROWS = Math.min(ROWS_PER_PAGE, 20);

export function LogListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
