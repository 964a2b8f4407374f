import { Anchor, Button, Checkbox } from "@mantine/core";
import Link from "next/link";

import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
} from "#app/console/ui/list-table.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { ROWS_PER_PAGE, type SuppressionRow } from "./queries.ts";
import classes from "./suppression-list.module.css";
import { originLabels } from "./suppression-labels.ts";

const columns = {
  select: { area: "choose", header: "Select", kind: "actions" },
  email: { area: "email", header: "Address", kind: "name" },
  reason: { area: "why", header: "Reason", kind: "status" },
  source: { area: "source", header: "Source email", kind: "text" },
  since: { area: "since", header: "Added", kind: "moment" },
  remove: { area: "remove", header: "Remove", kind: "actions" },
} satisfies Record<string, ListColumn>;

const layout = { columns, grid: classes.grid };

export function SuppressionList({
  rows,
  selected,
  onSelect,
  onRemove,
}: {
  rows: SuppressionRow[];
  selected: ReadonlySet<string>;
  onSelect: (id: string, isSelected: boolean) => void;
  onRemove: (row: SuppressionRow) => void;
}) {
  return (
    <ListTable label="Suppressed addresses, newest first" {...layout}>
      {rows.map((row) => (
        <ListRow key={row.id}>
          <ListCell column={columns.select}>
            <Checkbox
              className={classes.box}
              aria-label={`Select ${row.email}`}
              checked={selected.has(row.id)}
              onChange={(event) => onSelect(row.id, event.currentTarget.checked)}
            />
          </ListCell>
          <ListCell column={columns.email}>
            <span className={classes.email} title={row.email}>
              {row.email}
            </span>
          </ListCell>
          <ListCell column={columns.reason}>
            <Status {...originLabels[row.origin]} />
          </ListCell>
          <ListCell column={columns.source}>
            <SourceEmail source={row.source} />
          </ListCell>
          <ListCell column={columns.since}>
            <RelativeTime at={row.created_at} />
          </ListCell>
          <ListCell column={columns.remove}>
            <Button
              variant="default"
              size="compact-sm"
              aria-label={`Remove ${row.email}`}
              onClick={() => onRemove(row)}
            >
              Remove
            </Button>
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

/** The email that bounced, was marked as spam or was unsubscribed from. */
function SourceEmail({ source }: { source: SuppressionRow["source"] }) {
  if (source === null) return null;
  if (source.subject === null) return "Deleted email";
  return (
    <Anchor component={Link} href={`/console/emails/${source.id}`} inherit>
      {source.subject || "(no subject)"}
    </Anchor>
  );
}

export function SuppressionListSkeleton() {
  return <ListSkeleton rows={ROWS_PER_PAGE} {...layout} />;
}
