"use client";

import { Button } from "@mantine/core";
import { useState } from "react";

import { ChosenBar } from "#app/console/ui/chosen-bar.tsx";

import { DecideDialog } from "./decide-dialog.tsx";
import { messagesInWords, verbs } from "./held-words.ts";
import type { Decided, Decision, HeldRow } from "./queries.ts";

/** Decides about all messages that are chosen. */
export function DecideSeveral({
  chosen,
  isAll,
  onAll,
  onNone,
}: {
  chosen: HeldRow[];
  isAll: boolean;
  onAll: () => void;
  onNone: () => void;
}) {
  const [asked, setAsked] = useState<Decision | null>(null);
  const [outcome, setOutcome] = useState("");
  const act = (decision: Decision) => () => {
    setOutcome("");
    setAsked(decision);
  };
  const finish = (decided: Decided) => {
    setOutcome(outcomeInWords(asked!, decided));
    setAsked(null);
    onNone();
  };
  const count = chosen.length;
  return (
    <>
      <ChosenBar
        label="Several messages"
        words={count === 0 ? outcome : `${messagesInWords(count)} chosen`}
        count={count}
        isAll={isAll}
        onAll={onAll}
        onNone={onNone}
      >
        {(["release", "delete"] as const).map((decision) => (
          <Button key={decision} variant="default" size="xs" onClick={act(decision)}>
            {verbs[decision].held}
          </Button>
        ))}
      </ChosenBar>
      <DecideDialog
        messages={chosen}
        decision={asked}
        onClose={() => setAsked(null)}
        onDone={finish}
      />
    </>
  );
}

function outcomeInWords(decision: Decision, { done, gone }: Decided): string {
  const what = `${messagesInWords(done)} ${decision === "release" ? "released" : "deleted"}`;
  if (gone.length === 0) return `${what}.`;
  return `${what}. No more: ${[...new Set(gone)].join(", ")}.`;
}
