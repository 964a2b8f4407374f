import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import type { ReceivedRow } from "./queries.ts";

export const RECEIVED_LIST: ListLayout<ReceivedRow> = {
  noun: "received emails",
  label: "Received emails",
  columns: [
    {
      area: "from",
      header: "From",
      kind: "name",
      width: "minmax(0, 4fr)",
      cell: ({ id, from }) => (
        <ListRowLink href={`/console/receiving/${id}`}>{from || "(no sender)"}</ListRowLink>
      ),
    },
    {
      area: "subject",
      header: "Subject",
      kind: "text",
      width: "minmax(0, 5fr)",
      cell: ({ subject }) => subject || "(no subject)",
    },
    {
      area: "to",
      header: "To",
      kind: "text",
      width: "minmax(0, 4fr)",
      isOptional: true,
      canHide: true,
      cell: ({ receivedFor: to }) => `${to[0] ?? ""}${to.length > 1 ? ` +${to.length - 1}` : ""}`,
    },
    {
      area: "verdict",
      header: "Spam check",
      kind: "status",
      width: "104px",
      cell: ({ isSpam }) =>
        isSpam ? <Status tone="failed" label="Spam" /> : <Status tone="none" label="Not spam" />,
    },
    {
      area: "received",
      header: "Received",
      kind: "moment",
      width: "116px",
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
  ],
  phone: `"from verdict" auto "subject received" auto / minmax(0, 1fr) auto`,
};
