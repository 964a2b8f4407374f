"use client";

import { Button } from "@mantine/core";
import { useState } from "react";

import { byId, type Selection } from "#app/console/ui/selection.tsx";
import { SelectionBar } from "#app/console/ui/selection-bar.tsx";

import { DecisionDialog } from "./decision-dialog.tsx";
import type { Asked } from "./quarantine.tsx";
import { countMessages, verbs } from "./quarantine-labels.ts";
import type { Decision, DecisionOutcome, QuarantineRow } from "./queries.ts";

/** Releases or deletes the selected messages, or the one whose menu was used. */
export function QuarantineBulkActions({
  page,
  selection: { chosen, setChosen },
  asked,
  onAsk,
}: {
  page: QuarantineRow[];
  selection: Selection<QuarantineRow>;
  /** Null while the dialog is closed. */
  asked: Asked | null;
  onAsk: (asked: Asked | null) => void;
}) {
  const [outcome, setOutcome] = useState("");
  // Kept while the dialog closes.
  const [shown, setShown] = useState(asked);
  if (asked !== null && asked !== shown) setShown(asked);
  // Messages that have left the page are no longer selected.
  const messages = page.filter(({ id }) => chosen.has(id));
  const count = messages.length;
  const finish = (decided: DecisionOutcome) => {
    setOutcome(describeOutcome(asked!.decision, decided));
    onAsk(null);
    setChosen(new Map());
  };
  return (
    <>
      <SelectionBar
        label="Bulk actions"
        status={count === 0 ? outcome : `${countMessages(count)} selected`}
        count={count}
        isAllSelected={count > 0 && count === page.length}
        onSelectAll={() => setChosen(byId(page))}
        onClear={() => setChosen(new Map())}
      >
        {(["release", "delete"] as const).map((decision) => (
          <Button
            key={decision}
            variant="default"
            size="xs"
            onClick={() => {
              setOutcome("");
              onAsk({ decision, messages });
            }}
          >
            {verbs[decision].quarantined}
          </Button>
        ))}
      </SelectionBar>
      <DecisionDialog
        messages={shown?.messages ?? []}
        decision={asked?.decision ?? null}
        onClose={() => onAsk(null)}
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
