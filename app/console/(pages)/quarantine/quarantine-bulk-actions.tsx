"use client";

import { Button } from "@mantine/core";
import { useState } from "react";

import type { ListPage, PageCursor } from "#app/console/ui/pagination.tsx";
import type { Selection } from "#app/console/ui/selection.tsx";
import { SelectionBar } from "#app/console/ui/selection-bar.tsx";

import { DecisionDialog } from "./decision-dialog.tsx";
import type { Asked } from "./quarantine.tsx";
import { countMessages, verbs } from "./quarantine-labels.ts";
import type { Decision, DecisionOutcome, QuarantineRow, readMatchingMessages } from "./queries.ts";

/** Releases or deletes the selected messages, which may be on other pages, or the one whose menu was used. */
export function QuarantineBulkActions({
  page,
  place,
  readAll,
  selection,
  asked,
  onAsk,
}: {
  page: Omit<ListPage, "data"> & { data: QuarantineRow[] };
  place: PageCursor;
  /** Reads the messages on all pages. */
  readAll: () => ReturnType<typeof readMatchingMessages>;
  selection: Selection<QuarantineRow>;
  /** Null while the dialog is closed. */
  asked: Asked | null;
  onAsk: (asked: Asked | null) => void;
}) {
  const [outcome, setOutcome] = useState("");
  // Kept while the dialog closes.
  const [shown, setShown] = useState(asked);
  if (asked !== null && asked !== shown) setShown(asked);
  const messages = [...selection.chosen.values()];
  const finish = (decided: DecisionOutcome) => {
    setOutcome(describeOutcome(asked!.decision, decided));
    onAsk(null);
    selection.setChosen(new Map());
  };
  return (
    <>
      <SelectionBar
        {...{ page, place, selection, readAll, outcome }}
        label="Bulk actions"
        nameCount={countMessages}
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
