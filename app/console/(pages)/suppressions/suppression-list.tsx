import { Anchor, Button, Checkbox } from "@mantine/core";
import Link from "next/link";

import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
} from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { ROWS_PER_PAGE, type SuppressionRow } from "./queries.ts";
import classes from "./suppression-list.module.css";
import { originLabels } from "./suppression-labels.ts";

const columns = {
  select: { area: "choose", head: "Select", kind: "actions" },
  email: { area: "email", head: "Address", kind: "name" },
  reason: { area: "why", head: "Reason", kind: "status" },
  source: { area: "source", head: "Source email", kind: "text" },
  since: { area: "since", head: "Added", kind: "moment" },
  remove: { area: "remove", head: "Remove", kind: "actions" },
} satisfies Record<string, Column>;

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
          <Cell of={columns.select}>
            <Checkbox
              className={classes.box}
              aria-label={`Select ${row.email}`}
              checked={selected.has(row.id)}
              onChange={(event) => onSelect(row.id, event.currentTarget.checked)}
            />
          </Cell>
          <Cell of={columns.email}>
            <span className={classes.email} title={row.email}>
              {row.email}
            </span>
          </Cell>
          <Cell of={columns.reason}>
            <Status {...originLabels[row.origin]} />
          </Cell>
          <Cell of={columns.source}>
            <SourceEmail source={row.source} />
          </Cell>
          <Cell of={columns.since}>
            <RelativeMoment at={row.created_at} />
          </Cell>
          <Cell of={columns.remove}>
            <Button
              variant="default"
              size="compact-sm"
              aria-label={`Remove ${row.email}`}
              onClick={() => onRemove(row)}
            >
              Remove
            </Button>
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

/** The email that bounced or was marked as spam. */
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
