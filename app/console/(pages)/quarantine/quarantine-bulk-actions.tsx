"use client";

import { Button } from "@mantine/core";
import { useState } from "react";

import type { ListPage, PageCursor } from "#app/console/ui/pagination.tsx";
import { SelectAllMatching } from "#app/console/ui/select-all-matching.tsx";
import { byId, type Selection } from "#app/console/ui/selection.tsx";
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
  selection: { chosen, setChosen },
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
  const messages = [...chosen.values()];
  const count = messages.length;
  const isAll = count > 0 && page.data.every(({ id }) => chosen.has(id));
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
        isAllSelected={isAll}
        onSelectAll={() => setChosen(new Map([...chosen, ...byId(page.data)]))}
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
        <SelectAllMatching
          {...{ page, place, chosen }}
          nameCount={countMessages}
          read={readAll}
          onChoose={setChosen}
        />
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
