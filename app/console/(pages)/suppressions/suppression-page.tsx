"use client";

import { Button } from "@mantine/core";
import { useState } from "react";

import { ChosenBar } from "#app/console/ui/chosen-bar.tsx";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { toast } from "#app/console/ui/toast.ts";

import { type SuppressionRow, useRemove, useRestore } from "./queries.ts";
import { SuppressionList } from "./suppression-list.tsx";
import { addressesInWords } from "./suppression-words.ts";

/** A page of the list, of which one or several are removed at once, and put back at once. */
export function SuppressionPage({ rows }: { rows: SuppressionRow[] }) {
  const removal = useRemove();
  const restoration = useRestore();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());

  const leaving = new Set(removal.isPending ? removal.variables : []);
  const shown = rows.filter(({ id }) => !leaving.has(id));
  // What is not on the page any more is not decided about.
  const ids = shown.flatMap(({ id }) => (chosen.has(id) ? [id] : []));
  const isNone = ids.length === 0;

  const choose = (id: string, isChosen: boolean) =>
    setChosen(
      (before) => new Set(isChosen ? [...before, id] : [...before].filter((x) => x !== id)),
    );

  function restore(undo: string, name: string) {
    restoration.mutate(undo, {
      onSuccess: () => toast(`Back on the list: ${name}`),
      onError: (error) => toast(`Not undone: ${error.message}`),
    });
  }

  function remove(ids: string[], name: string) {
    setChosen(new Set());
    removal.mutate(ids, {
      onSuccess: ({ undo }) =>
        toast(`Emails go to ${name} again`, { undo: () => restore(undo, name) }),
    });
  }

  return (
    <>
      <FormProblem error={removal.error} />
      <ChosenBar
        label="Several addresses"
        words={isNone ? "" : `${addressesInWords(ids.length)} chosen`}
        count={ids.length}
        isAll={!isNone && ids.length === shown.length}
        onAll={() => setChosen(new Set(shown.map(({ id }) => id)))}
        onNone={() => setChosen(new Set())}
      >
        <Button
          variant="default"
          size="xs"
          onClick={() => remove(ids, addressesInWords(ids.length))}
        >
          Remove from the list
        </Button>
      </ChosenBar>
      <SuppressionList
        rows={shown}
        chosen={chosen}
        onChoose={choose}
        onRemove={(row) => remove([row.id], row.email)}
      />
    </>
  );
}
