import type { AnswerOf } from "#app/console/console-client.ts";

export type QueueAnswer = AnswerOf<"queue.get">;
export type QueueRow = QueueAnswer["destinations"][number];
export type Hold = QueueAnswer["holds"][number];
export type QueuedBy = { kind: "destination" | "company"; subject: string };
export type QueuedRecipient = AnswerOf<"queue.listWaiting">["data"][number];

/** The page that lists the queued mail of a destination or company. */
export const queueUrl = ({ kind, subject }: QueuedBy): string =>
  `/console/operate/queue?${new URLSearchParams({ kind, subject }).toString()}`;

/** "from Acme Ltd", "to example.net" */
export const mailOf = ({ kind, name }: { kind: QueuedBy["kind"]; name: string }): string =>
  `${kind === "company" ? "from" : "to"} ${name}`;
