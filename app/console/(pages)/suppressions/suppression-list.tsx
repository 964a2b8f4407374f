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
import { origins } from "./suppression-words.ts";

const columns = {
  choose: { area: "choose", head: "Choose", kind: "actions" },
  email: { area: "email", head: "Address", kind: "name" },
  why: { area: "why", head: "Why", kind: "status" },
  source: { area: "source", head: "Because of", kind: "text" },
  since: { area: "since", head: "Since", kind: "moment" },
  remove: { area: "remove", head: "Remove", kind: "actions" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };

export function SuppressionList({
  rows,
  chosen,
  onChoose,
  onRemove,
}: {
  rows: SuppressionRow[];
  chosen: ReadonlySet<string>;
  onChoose: (id: string, isChosen: boolean) => void;
  onRemove: (row: SuppressionRow) => void;
}) {
  return (
    <ListTable label="Suppressed addresses, newest first" {...layout}>
      {rows.map((row) => (
        <ListRow key={row.id}>
          <Cell of={columns.choose}>
            <Checkbox
              className={classes.box}
              aria-label={`Choose ${row.email}`}
              checked={chosen.has(row.id)}
              onChange={(event) => onChoose(row.id, event.currentTarget.checked)}
            />
          </Cell>
          <Cell of={columns.email}>
            <span className={classes.email} title={row.email}>
              {row.email}
            </span>
          </Cell>
          <Cell of={columns.why}>
            <Status {...origins[row.origin]} />
          </Cell>
          <Cell of={columns.source}>
            <Source source={row.source} />
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

/** The email that bounced or drew the complaint. */
function Source({ source }: { source: SuppressionRow["source"] }) {
  if (source === null) return null;
  if (source.subject === null) return "An email that is gone";
  return (
    <Anchor component={Link} href={`/console/emails/${source.id}`} inherit>
      {source.subject || "(no subject)"}
    </Anchor>
  );
}

export function SuppressionListSkeleton() {
  return <ListSkeleton rows={ROWS_PER_PAGE} {...layout} />;
}
