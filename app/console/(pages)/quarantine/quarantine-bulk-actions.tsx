"use client";

import { Button } from "@mantine/core";
import { useState } from "react";

import { SelectionBar } from "#app/console/ui/selection-bar.tsx";

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
      <SelectionBar
        label="Bulk actions"
        status={count === 0 ? outcome : `${countMessages(count)} selected`}
        count={count}
        isAllSelected={isAll}
        onSelectAll={onAll}
        onClear={onNone}
      >
        {(["release", "delete"] as const).map((decision) => (
          <Button key={decision} variant="default" size="xs" onClick={act(decision)}>
            {verbs[decision].quarantined}
          </Button>
        ))}
      </SelectionBar>
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
