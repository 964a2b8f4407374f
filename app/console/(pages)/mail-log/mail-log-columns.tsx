import type { NavigationArea } from "#app/console/shell/navigation.ts";
import type { DataColumn, ListLayout } from "#app/console/ui/data-table.tsx";
import { createdColumn } from "#app/console/ui/message-columns.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./mail-log.module.css";
import {
  explainReply,
  type IncomingEntry,
  incomingStatus,
  type OutgoingEntry,
  outgoingStatus,
  outgoingText,
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
  width: "minmax(0, 7fr)",
} as const;
const LAST = { kind: "text", width: "minmax(0, 2fr)", isOptional: true } as const;
const PHONE = `"name result" auto "reply created" auto / minmax(0, 1fr) auto`;

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

const COMPANY: DataColumn<OutgoingEntry> = {
  ...LAST,
  area: "company",
  header: "Company",
  cell: ({ company }) => company.name ?? "Deleted company",
};

const CLIENT: DataColumn<IncomingEntry> = {
  ...LAST,
  area: "client",
  header: "Client",
  cell: ({ clientAddress: client }) => client,
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
    ...(area === "operate" ? [CLIENT] : []),
    createdColumn("Time"),
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
      cell: (entry) => <span title={entry.reply ?? ""}>{outgoingText(entry)}</span>,
    },
    ...(area === "operate" ? [COMPANY] : []),
    createdColumn("Time"),
  ],
});
