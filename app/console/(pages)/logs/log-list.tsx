import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
  ListRowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./log-list.module.css";
import { statusLabel } from "./log-labels.ts";
import { type LogRow, ROWS_PER_PAGE } from "./queries.ts";

const columns = {
  request: { area: "request", header: "Request", kind: "name" },
  status: { area: "status", header: "Status", kind: "status" },
  key: { area: "key", header: "API key", kind: "text", isOptional: true },
  agent: { area: "agent", header: "User agent", kind: "text", isMuted: true, isOptional: true },
  at: { area: "at", header: "Time", kind: "moment" },
} satisfies Record<string, ListColumn>;

const layout = { columns, grid: classes.grid };

export function LogList({ logs }: { logs: LogRow[] }) {
  return (
    <ListTable label="API requests, newest first" {...layout}>
      {logs.map((log) => (
        <ListRow key={log.id}>
          <ListCell column={columns.request}>
            <span className={classes.method}>{log.method}</span>
            <ListRowLink href={`/console/logs/${log.id}`} title={log.path}>
              {log.path}
            </ListRowLink>
          </ListCell>
          <ListCell column={columns.status}>
            <Status {...statusLabel(log.status)} />
          </ListCell>
          <ListCell column={columns.key}>{log.api_key?.name}</ListCell>
          <ListCell column={columns.agent}>{log.user_agent}</ListCell>
          <ListCell column={columns.at}>
            <RelativeTime at={log.created_at} />
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const SKELETON_ROWS = Math.min(ROWS_PER_PAGE, 20);

export function LogListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
