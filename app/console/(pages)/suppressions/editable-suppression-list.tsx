"use client";

import { Button } from "@mantine/core";
import { useState } from "react";

import { SelectionBar } from "#app/console/ui/selection-bar.tsx";
import { FormError } from "#app/console/ui/form-error.tsx";
import { toast } from "#app/console/ui/toast.tsx";

import { type SuppressionRow, useRemoveSuppressions, useRestoreSuppressions } from "./queries.ts";
import { SuppressionList } from "./suppression-list.tsx";
import { addressCount } from "./suppression-labels.ts";

/** One page of the list, with bulk removal and undo. */
export function EditableSuppressionList({ rows }: { rows: SuppressionRow[] }) {
  const removal = useRemoveSuppressions();
  const restoration = useRestoreSuppressions();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());

  const removing = new Set(removal.isPending ? removal.variables : []);
  const shown = rows.filter(({ id }) => !removing.has(id));
  // Ignore selected rows that are no longer on the page.
  const ids = shown.flatMap(({ id }) => (selected.has(id) ? [id] : []));
  const isNone = ids.length === 0;

  const select = (id: string, isSelected: boolean) =>
    setSelected(
      (before) => new Set(isSelected ? [...before, id] : [...before].filter((x) => x !== id)),
    );

  function restore(undo: string, name: string) {
    restoration.mutate(undo, {
      onSuccess: () => toast(`${name} suppressed again`),
      onError: (error) => toast(`Couldn’t undo the removal. ${error.message}`),
    });
  }

  function remove(ids: string[], name: string) {
    setSelected(new Set());
    removal.mutate(ids, {
      onSuccess: ({ undo }) =>
        toast(`${name} removed from the suppression list`, { undo: () => restore(undo, name) }),
    });
  }

  return (
    <>
      <FormError error={removal.error} />
      <SelectionBar
        label="Selected addresses"
        status={isNone ? "" : `${addressCount(ids.length)} selected`}
        count={ids.length}
        isAllSelected={!isNone && ids.length === shown.length}
        onSelectAll={() => setSelected(new Set(shown.map(({ id }) => id)))}
        onClear={() => setSelected(new Set())}
      >
        <Button variant="default" size="xs" onClick={() => remove(ids, addressCount(ids.length))}>
          Remove from list
        </Button>
      </SelectionBar>
      <SuppressionList
        rows={shown}
        selected={selected}
        onSelect={select}
        onRemove={(row) => remove([row.id], row.email)}
      />
    </>
  );
}
