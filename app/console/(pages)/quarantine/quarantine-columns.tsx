import { Menu } from "@mantine/core";

import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { CopyItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { selectColumn, type Selection } from "#app/console/ui/selection.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { reasons, verbFor } from "./quarantine-labels.ts";
import type { Decision, QuarantineRow } from "./queries.ts";

export const quarantineList = (
  selection: Selection<QuarantineRow>,
  onDecide: (decision: Decision, message: QuarantineRow) => void,
): ListLayout<QuarantineRow> => ({
  noun: "messages",
  label: "Quarantined messages",
  columns: [
    selectColumn(selection, (message) => `${message.subject || "message"} from ${nameOf(message)}`),
    {
      area: "from",
      header: "From",
      kind: "name",
      width: "minmax(0, 4fr)",
      cell: (message) => (
        <ListRowLink href={`/console/quarantine/${message.id}`} title={message.sender}>
          {nameOf(message)}
        </ListRowLink>
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
      cell: ({ recipients }) =>
        `${recipients[0] ?? ""}${recipients.length > 1 ? ` +${recipients.length - 1}` : ""}`,
    },
    {
      area: "reason",
      header: "Reason",
      kind: "status",
      width: "104px",
      cell: ({ reason }) => <Status {...reasons[reason]} />,
    },
    {
      area: "quarantined",
      header: "Quarantined",
      kind: "moment",
      width: "116px",
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    menuColumn(
      (message) => `${message.subject || "message"} from ${nameOf(message)}`,
      (message) => (
        <>
          {(["release", "delete"] as const).map((decision) => (
            <Menu.Item key={decision} onClick={() => onDecide(decision, message)}>
              {verbFor(decision, message.reason)} message
            </Menu.Item>
          ))}
          <CopyItem value={message.sender}>Copy sender</CopyItem>
        </>
      ),
    ),
  ],
  phone: `"choose from menu" auto ". subject reason" auto ". quarantined quarantined" auto
    / 20px minmax(0, 1fr) auto`,
});

const nameOf = ({ from, sender }: QuarantineRow) => from || sender || "(no sender)";
