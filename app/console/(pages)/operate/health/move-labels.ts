import { toSentence } from "#app/console/ui/server-text.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

import type { MailboxMove } from "./mail-host-queries.ts";

type MoveDescription = { tone: StatusTone; label: string; text: string };

/** How far a move is, and what is wrong if the last attempt failed. */
export function describeMove({ stage, from, to, problem }: MailboxMove): MoveDescription {
  const { label, text } = STAGES[stage](from, to);
  if (problem !== null)
    return {
      ...{ tone: "failed", label: `${label}, delayed` },
      text: `${toSentence(problem)} Posthouse keeps trying. ${text}`,
    };
  return { tone: stage === "moved" ? "done" : "waiting", label, text };
}

const STAGES: Record<
  MailboxMove["stage"],
  (from: string, to: string) => Pick<MoveDescription, "label" | "text">
> = {
  copying: (from, to) => ({
    label: `Moving to ${to}`,
    text: `The mail is being copied. Until then, the mailbox stays in use on ${from}.`,
  }),
  switched: (_from, to) => ({
    label: `Moving to ${to}`,
    text: `New mail arrives on ${to}. Mail that arrived during the copy follows.`,
  }),
  moved: (from) => ({
    label: `Moved from ${from}`,
    text: "The old copy is deleted ten minutes after the move.",
  }),
};
