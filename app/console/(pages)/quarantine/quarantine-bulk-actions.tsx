"use client";

import { Button } from "@mantine/core";
import { useState } from "react";

import { ChosenBar } from "#app/console/ui/chosen-bar.tsx";

import { DecisionDialog } from "./decision-dialog.tsx";
import { countMessages, verbs } from "./quarantine-labels.ts";
import type { DecisionOutcome, Decision, QuarantineRow } from "./queries.ts";

/** Releases or deletes the selected messages. */
export function QuarantineBulkActions({
  chosen,
  isAll,
  onAll,
  onNone,
}: {
  chosen: QuarantineRow[];
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
  const finish = (decided: DecisionOutcome) => {
    setOutcome(describeOutcome(asked!, decided));
    setAsked(null);
    onNone();
  };
  const count = chosen.length;
  return (
    <>
      <ChosenBar
        label="Bulk actions"
        words={count === 0 ? outcome : `${countMessages(count)} selected`}
        count={count}
        isAll={isAll}
        onAll={onAll}
        onNone={onNone}
      >
        {(["release", "delete"] as const).map((decision) => (
          <Button key={decision} variant="default" size="xs" onClick={act(decision)}>
            {verbs[decision].quarantined}
          </Button>
        ))}
      </ChosenBar>
      <DecisionDialog
        messages={chosen}
        decision={asked}
        onClose={() => setAsked(null)}
        onDone={finish}
      />
    </>
  );
}

function describeOutcome(decision: Decision, { done, gone }: DecisionOutcome): string {
  const what = `${countMessages(done)} ${decision === "release" ? "released" : "deleted"}`;
  if (gone.length === 0) return `${what}.`;
  return `${what}. Recipients that no longer exist: ${[...new Set(gone)].join(", ")}.`;
}
