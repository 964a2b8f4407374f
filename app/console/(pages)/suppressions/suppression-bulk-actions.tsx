"use client";

import { Button } from "@mantine/core";

import type { ListPage, PageCursor } from "#app/console/ui/pagination.tsx";
import { SelectAllMatching } from "#app/console/ui/select-all-matching.tsx";
import { byId, type Selection } from "#app/console/ui/selection.tsx";
import { SelectionBar } from "#app/console/ui/selection-bar.tsx";

import type { readMatchingSuppressions, SuppressionRow } from "./queries.ts";
import { addressCount } from "./suppression-labels.ts";

/** Removes the selected addresses, which may be on other pages. */
export function SuppressionBulkActions({
  page,
  place,
  selection: { chosen, setChosen },
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
  const count = chosen.size;
  const isAll = page.data.every(({ id }) => chosen.has(id));
  return (
    <SelectionBar
      label="Selected addresses"
      status={count === 0 ? "" : `${addressCount(count)} selected`}
      count={count}
      isAllSelected={isAll}
      onSelectAll={() => setChosen(new Map([...chosen, ...byId(page.data)]))}
      onClear={() => setChosen(new Map())}
    >
      <Button
        variant="default"
        size="xs"
        onClick={() => onRemove([...chosen.keys()], addressCount(count))}
      >
        Remove from list
      </Button>
      <SelectAllMatching
        {...{ page, place, chosen }}
        nameCount={addressCount}
        read={readAll}
        onChoose={setChosen}
      />
    </SelectionBar>
  );
}
