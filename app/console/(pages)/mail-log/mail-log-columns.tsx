import type { NavigationArea } from "#app/console/shell/navigation.ts";
import type { DataColumn, ListLayout } from "#app/console/ui/data-table.tsx";
import { createdColumn, statusColumn } from "#app/console/ui/list-columns.tsx";

import classes from "./mail-log.module.css";
import {
  explainReply,
  type IncomingEntry,
  incomingStatus,
  type OutgoingEntry,
  outgoingStatus,
  outgoingText,
} from "./reply-text.ts";

const SENDER = { header: "Sender", width: "minmax(0, 4fr)", isOptional: true };
const REPLY = { header: "What happened", wraps: true, width: "minmax(0, 7fr)" };
const LAST = { width: "minmax(0, 2fr)", isOptional: true };
const PHONE = `"name result" auto "reply created" auto / minmax(0, 1fr) auto`;

const nameColumn = <Entry,>(
  nameOf: (entry: Entry) => string,
  onOpen: (entry: Entry) => void,
): DataColumn<Entry> => ({
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
  header: "Company",
  cell: ({ company }) => company.name ?? "Deleted company",
};

const CLIENT: DataColumn<IncomingEntry> = {
  ...LAST,
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
  columns: {
    name: nameColumn(({ recipient, sender }) => recipient ?? sender ?? "Unknown address", onOpen),
    result: statusColumn("132px", incomingStatus, "Result"),
    sender: { ...SENDER, cell: ({ sender }) => (sender === "" ? "Empty sender" : sender) },
    reply: {
      ...REPLY,
      cell: ({ reply }) => <span title={reply}>{explainReply(reply, area).tone}</span>,
    },
    ...(area === "operate" && { client: CLIENT }),
    created: createdColumn("Time"),
  },
});

export const outgoingList = (
  area: NavigationArea,
  onOpen: (entry: OutgoingEntry) => void,
): ListLayout<OutgoingEntry> => ({
  noun: "entries",
  label: "Delivery attempts, newest first",
  phone: PHONE,
  columns: {
    name: nameColumn(({ recipient }) => recipient, onOpen),
    result: statusColumn("132px", outgoingStatus, "Result"),
    sender: {
      ...SENDER,
      cell: ({ sender }) => <span title={sender}>{sender || "Empty sender"}</span>,
    },
    reply: {
      ...REPLY,
      cell: (entry) => <span title={entry.reply ?? ""}>{outgoingText(entry)}</span>,
    },
    ...(area === "operate" && { company: COMPANY }),
    created: createdColumn("Time"),
  },
});
