import { Anchor, Button } from "@mantine/core";
import Link from "next/link";

import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { selectColumn, type Selection } from "#app/console/ui/selection.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import type { SuppressionRow } from "./queries.ts";
import { originLabels } from "./suppression-labels.ts";
import classes from "./suppression-list.module.css";

export const suppressionList = (
  selection: Selection<SuppressionRow>,
  onRemove: (row: SuppressionRow) => void,
): ListLayout<SuppressionRow> => ({
  noun: "suppressions",
  label: "Suppressed addresses",
  className: classes.list,
  columns: [
    selectColumn(selection, ({ email }) => email),
    {
      area: "email",
      header: "Address",
      kind: "name",
      width: "minmax(0, 5fr)",
      cell: ({ email }) => (
        <span className={classes.email} title={email}>
          {email}
        </span>
      ),
    },
    {
      area: "why",
      header: "Reason",
      kind: "status",
      width: "132px",
      cell: ({ origin }) => <Status {...originLabels[origin]} />,
    },
    {
      area: "source",
      header: "Source email",
      kind: "text",
      width: "minmax(0, 5fr)",
      canHide: true,
      cell: ({ source }) => <SourceEmail source={source} />,
    },
    {
      area: "since",
      header: "Added",
      kind: "moment",
      width: "116px",
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    {
      area: "remove",
      header: "Remove",
      kind: "actions",
      width: "80px",
      cell: (row) => (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`Remove ${row.email}`}
          onClick={() => onRemove(row)}
        >
          Remove
        </Button>
      ),
    },
  ],
  phone: `"choose email email" auto ". why since" auto ". source source" auto ". remove ." auto
    / 20px minmax(0, 1fr) auto`,
});

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
