import { toSentence } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

import type { MailboxMove } from "./mail-host-queries.ts";

type MoveDescription = { tone: StatusTone; label: string; text: string };

/** How far a move is, and what is wrong if the last attempt failed. */
export function describeMove({ stage, from, to, problem }: MailboxMove): MoveDescription {
  const { label, text } = STAGES[stage](from, to);
  if (problem !== null)
    return {
      tone: "failed",
      label: `${label}, ${stage === "moved" ? "cleanup delayed" : "delayed"}`,
      text: `${toSentence(problem)} Posthouse is retrying. ${text}`,
    };
  return { tone: stage === "moved" ? "done" : "waiting", label, text };
}

const STAGES: Record<
  MailboxMove["stage"],
  (from: string, to: string) => Pick<MoveDescription, "label" | "text">
> = {
  copying: (from, to) => ({
    label: `Moving to ${to}`,
    text: `Copying mail. The mailbox stays in use on ${from} until the copy is complete.`,
  }),
  switched: (from, to) => ({
    label: `Moving to ${to}`,
    text: `New mail arrives on ${to}. Messages that arrived on ${from} during the copy are being moved.`,
  }),
  moved: (from, to) => ({
    label: `Moved from ${from}`,
    text: `All mail is on ${to}. The copy on ${from} will be deleted, at the earliest ten minutes after the switch.`,
  }),
};
