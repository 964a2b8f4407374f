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
import { accessInWords, creatorOf, stateOf } from "./key-words.ts";
import type { ApiKeyRow, KeyState } from "./queries.ts";

const columns = {
  name: { area: "name", head: "Name", kind: "name" },
  prefix: { area: "prefix", head: "Token", kind: "text", isQuiet: true, isExtra: true },
  access: { area: "access", head: "Access", kind: "text" },
  creator: { area: "creator", head: "Acts for", kind: "text", isExtra: true },
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
        <Row key={key.id} apiKey={key} />
      ))}
    </ListTable>
  );
}

function Row({ apiKey }: { apiKey: ApiKeyRow }) {
  const state = stateOf(apiKey);
  const at = apiKey.revoked_at ?? apiKey.last_used_at;
  return (
    <ListRow>
      <Cell of={columns.name}>
        <RowLink href={`/console/api-keys/${apiKey.id}`}>{apiKey.name}</RowLink>
        {state.meaning === "failed" && <Status {...state} />}
      </Cell>
      <Cell of={columns.prefix}>
        <span className={classes.prefix}>{apiKey.prefix}…</span>
      </Cell>
      <Cell of={columns.access}>
        {accessInWords(apiKey)}
        {apiKey.allowed_addresses.length > 0 && ", from some addresses"}
      </Cell>
      <Cell of={columns.creator}>{creatorOf(apiKey)}</Cell>
      <Cell of={columns.used}>{at ? <RelativeMoment at={at} /> : "Never"}</Cell>
    </ListRow>
  );
}

const SKELETON_ROWS = 5;

export function ApiKeyListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} columns={columns} grid={classes.grid} />;
}
