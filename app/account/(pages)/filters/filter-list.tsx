import { ActionIcon, Button, Switch } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useState } from "react";

import { type Filter, useSaveFilters } from "#app/account/rule-queries.ts";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";

import { describeAction, describeConditions } from "./filter-labels.ts";

/** A filter in the list as it was when the reader opened it. The list may change while they edit. */
export type OpenedFilter = { filters: Filter[]; at: number };

export function FilterList({
  filters,
  onEdit,
}: {
  filters: Filter[];
  onEdit: (opened: OpenedFilter) => void;
}) {
  const save = useSaveFilters();
  const remove = useSaveFilters();
  const [asked, setAsked] = useState<OpenedFilter | null>(null);
  const change = (after: Filter[]) => save.start({ before: filters, after });
  const saving = save.isPending ? save.variables?.after : undefined;
  const swap = (at: number, other: number) =>
    change(filters.with(at, filters[other]!).with(other, filters[at]!));

  return (
    <>
      <ItemList label="Filters">
        {filters.map((filter, at) => (
          <ItemRow
            key={at}
            title={filter.name}
            actions={
              <>
                <Switch
                  aria-label={`${filter.name} is on`}
                  checked={(saving?.[at] ?? filter).isOn}
                  disabled={save.isPending}
                  onChange={({ currentTarget }) =>
                    change(filters.with(at, { ...filter, isOn: currentTarget.checked }))
                  }
                />
                <MoveFilterButton
                  name={filter.name}
                  to="up"
                  at={at}
                  last={filters.length - 1}
                  onMove={swap}
                />
                <MoveFilterButton
                  name={filter.name}
                  to="down"
                  at={at}
                  last={filters.length - 1}
                  onMove={swap}
                />
                <Button
                  variant="default"
                  aria-label={`Edit ${filter.name}`}
                  onClick={() => onEdit({ filters, at })}
                >
                  Edit
                </Button>
                <Button
                  variant="default"
                  aria-label={`Delete ${filter.name}`}
                  onClick={() => setAsked({ filters, at })}
                >
                  Delete
                </Button>
              </>
            }
          >
            <div>{describeConditions(filter)}</div>
            <div>{describeAction(filter.action)}</div>
          </ItemRow>
        ))}
      </ItemList>
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title={`Delete ${asked?.filters[asked.at]?.name ?? ""}?`}
        confirmLabel="Delete filter"
        onConfirm={() => {
          const { filters: before, at } = asked!;
          return remove.run({ before, after: before.toSpliced(at, 1) });
        }}
      >
        Mail that it already moved stays where it is.
      </ConfirmDialog>
    </>
  );
}

function MoveFilterButton({
  name,
  to,
  at,
  last,
  onMove,
}: {
  name: string;
  to: "up" | "down";
  at: number;
  last: number;
  onMove: (at: number, other: number) => void;
}) {
  const isUp = to === "up";
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={`Move ${name} ${to}`}
      title={`Move ${to}`}
      disabled={at === (isUp ? 0 : last)}
      onClick={() => onMove(at, isUp ? at - 1 : at + 1)}
    >
      {isUp ? <IconArrowUp size={16} /> : <IconArrowDown size={16} />}
    </ActionIcon>
  );
}
