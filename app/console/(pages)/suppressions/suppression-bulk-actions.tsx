"use client";

import { Button } from "@mantine/core";

import type { ListPage, PageCursor } from "#app/console/ui/pagination.tsx";
import type { Selection } from "#app/console/ui/selection.tsx";
import { SelectionBar } from "#app/console/ui/selection-bar.tsx";

import type { readMatchingSuppressions, SuppressionRow } from "./queries.ts";
import { addressCount } from "./suppression-labels.ts";

/** Removes the selected addresses, which may be on other pages. */
export function SuppressionBulkActions({
  page,
  place,
  selection,
  readAll,
  onRemove,
}: {
  page: Omit<ListPage, "data"> & { data: SuppressionRow[] };
  place: PageCursor;
  selection: Selection<SuppressionRow>;
  /** Reads the rows on all pages. */
  readAll: () => ReturnType<typeof readMatchingSuppressions>;
  onRemove: (ids: string[], name: string) => void;
}) {
  const count = selection.chosen.size;
  return (
    <SelectionBar
      {...{ page, place, selection, readAll }}
      label="Selected addresses"
      nameCount={addressCount}
    >
      <Button
        variant="default"
        size="xs"
        onClick={() => onRemove([...selection.chosen.keys()], addressCount(count))}
      >
        Remove from list
      </Button>
    </SelectionBar>
  );
}
