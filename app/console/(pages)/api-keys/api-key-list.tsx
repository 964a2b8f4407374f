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

import classes from "./api-key-list.module.css";
import { accessLabel, creatorName, keyStatus } from "./key-labels.ts";
import type { ApiKeyRow, KeyState } from "./queries.ts";

const columns = {
  name: { area: "name", header: "Name", kind: "name" },
  prefix: { area: "prefix", header: "Token", kind: "text", isMuted: true, isOptional: true },
  access: { area: "access", header: "Access", kind: "text" },
  creator: { area: "creator", header: "Created by", kind: "text", isOptional: true },
  used: { area: "used", header: "Last used", kind: "moment" },
} satisfies Record<string, ListColumn>;

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
      <ListCell column={columns.name}>
        <ListRowLink href={`/console/api-keys/${apiKey.id}`}>{apiKey.name}</ListRowLink>
        {status.tone === "failed" && <Status {...status} />}
      </ListCell>
      <ListCell column={columns.prefix}>
        <span className={classes.prefix}>{apiKey.prefix}…</span>
      </ListCell>
      <ListCell column={columns.access}>
        {accessLabel(apiKey)}
        {apiKey.allowed_addresses.length > 0 && " (IP restricted)"}
      </ListCell>
      <ListCell column={columns.creator}>{creatorName(apiKey)}</ListCell>
      <ListCell column={columns.used}>{at ? <RelativeTime at={at} /> : "Never"}</ListCell>
    </ListRow>
  );
}

const SKELETON_ROWS = 5;

export function ApiKeyListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} columns={columns} grid={classes.grid} />;
}
