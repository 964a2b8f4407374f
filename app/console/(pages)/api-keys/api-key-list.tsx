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

import classes from "./api-key-list.module.css";
import { accessLabel, creatorName, keyStatus } from "./key-labels.ts";
import type { ApiKeyRow, KeyState } from "./queries.ts";

const columns = {
  name: { area: "name", head: "Name", kind: "name" },
  prefix: { area: "prefix", head: "Token", kind: "text", isQuiet: true, isExtra: true },
  access: { area: "access", head: "Access", kind: "text" },
  creator: { area: "creator", head: "Created by", kind: "text", isExtra: true },
  used: { area: "used", head: "Last used", kind: "moment" },
} satisfies Record<string, Column>;

const columnsOf = (state: KeyState) => ({
  ...columns,
  used: { ...columns.used, head: state === "revoked" ? "Revoked" : "Last used" },
});

export function ApiKeyList({ keys, state }: { keys: ApiKeyRow[]; state: KeyState }) {
  return (
    <ListTable label="API keys, newest first" columns={columnsOf(state)} grid={classes.grid}>
      {keys.map((key) => (
        <ApiKeyListRow key={key.id} apiKey={key} />
      ))}
    </ListTable>
  );
}

function ApiKeyListRow({ apiKey }: { apiKey: ApiKeyRow }) {
  const status = keyStatus(apiKey);
  const at = apiKey.revoked_at ?? apiKey.last_used_at;
  return (
    <ListRow>
      <Cell of={columns.name}>
        <RowLink href={`/console/api-keys/${apiKey.id}`}>{apiKey.name}</RowLink>
        {status.meaning === "failed" && <Status {...status} />}
      </Cell>
      <Cell of={columns.prefix}>
        <span className={classes.prefix}>{apiKey.prefix}…</span>
      </Cell>
      <Cell of={columns.access}>
        {accessLabel(apiKey)}
        {apiKey.allowed_addresses.length > 0 && " (IP restricted)"}
      </Cell>
      <Cell of={columns.creator}>{creatorName(apiKey)}</Cell>
      <Cell of={columns.used}>{at ? <RelativeMoment at={at} /> : "Never"}</Cell>
    </ListRow>
  );
}

const SKELETON_ROWS = 5;

export function ApiKeyListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} columns={columns} grid={classes.grid} />;
}
