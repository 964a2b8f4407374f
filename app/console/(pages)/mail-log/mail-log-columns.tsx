import type { NavigationArea } from "#app/console/shell/navigation.ts";
import type { DataColumn, ListLayout } from "#app/console/ui/data-table.tsx";
import { typographic } from "#app/console/ui/format.ts";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./mail-log.module.css";
import {
  explainReply,
  type IncomingEntry,
  incomingStatus,
  ORIGINS,
  type OutgoingEntry,
  outgoingStatus,
} from "./reply-text.ts";

const RESULT = { area: "result", header: "Result", kind: "status", width: "132px" } as const;
const SENDER = {
  ...({ area: "sender", header: "Sender", kind: "text", width: "minmax(0, 4fr)" } as const),
  isOptional: true,
};
const REPLY = {
  area: "reply",
  header: "What happened",
  kind: "text",
  width: "minmax(0, 5fr)",
} as const;
const LAST = { kind: "text", width: "minmax(0, 2fr)", isOptional: true } as const;
const PHONE = `"name result" auto "reply when" auto / minmax(0, 1fr) auto`;

const nameColumn = <Entry,>(
  nameOf: (entry: Entry) => string,
  onOpen: (entry: Entry) => void,
): DataColumn<Entry> => ({
  area: "name",
  header: "Recipient",
  kind: "name",
  width: "minmax(0, 4fr)",
  cell: (entry) => (
    <button
      type="button"
      data-row-link
      className={classes.open}
      aria-haspopup="dialog"
      title={nameOf(entry)}
      onClick={() => onOpen(entry)}
    >
      {nameOf(entry)}
    </button>
  ),
});

const TIME: DataColumn<{ createdAt: string }> = {
  area: "when",
  header: "Time",
  kind: "moment",
  width: "116px",
  cell: ({ createdAt: at }) => <RelativeTime at={at} />,
};

export const incomingList = (
  area: NavigationArea,
  onOpen: (entry: IncomingEntry) => void,
): ListLayout<IncomingEntry> => ({
  noun: "entries",
  label: "Messages, newest first",
  phone: PHONE,
  columns: [
    nameColumn(({ recipient, sender }) => recipient ?? sender ?? "Unknown address", onOpen),
    { ...RESULT, cell: (entry) => <Status {...incomingStatus(entry)} /> },
    { ...SENDER, cell: ({ sender }) => (sender === "" ? "Empty sender" : sender) },
    { ...REPLY, cell: ({ reply }) => <span title={reply}>{explainReply(reply, area).tone}</span> },
    { ...LAST, area: "client", header: "Client", cell: ({ clientAddress: client }) => client },
    TIME,
  ],
});

export const outgoingList = (
  area: NavigationArea,
  onOpen: (entry: OutgoingEntry) => void,
): ListLayout<OutgoingEntry> => ({
  noun: "entries",
  label: "Delivery attempts, newest first",
  phone: PHONE,
  columns: [
    nameColumn(({ recipient }) => recipient, onOpen),
    { ...RESULT, cell: (entry) => <Status {...outgoingStatus(entry)} /> },
    { ...SENDER, cell: ({ sender }) => <span title={sender}>{sender || "Empty sender"}</span> },
    {
      ...REPLY,
      cell: ({ reply, why }) => <span title={reply ?? ""}>{why ? typographic(why) : reply}</span>,
    },
    area === "operate"
      ? {
          ...LAST,
          area: "company",
          header: "Company",
          cell: ({ company }) => company.name ?? "Deleted company",
        }
      : { ...LAST, area: "kind", header: "Origin", cell: ({ kind }) => ORIGINS[kind] },
    TIME,
  ],
});
