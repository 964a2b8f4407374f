import { ActionIcon, Button, Switch } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useState } from "react";

import { type Filter, useSaveFilters } from "#app/account/rule-queries.ts";
import { ItemRow, ItemList } from "#app/console/ui/item-list.tsx";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { FormError } from "#app/console/ui/form-error.tsx";

import { describeAction, describeConditions } from "./filter-labels.ts";

export function FilterList({
  filters,
  onEdit,
}: {
  filters: Filter[];
  onEdit: (at: number) => void;
}) {
  const save = useSaveFilters();
  const remove = useSaveFilters();
  const [asked, setAsked] = useState<number | null>(null);
  const swap = (at: number, other: number) =>
    save.mutate(filters.with(at, filters[other]!).with(other, filters[at]!));

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
                  checked={filter.is_on}
                  disabled={save.isPending}
                  onChange={({ currentTarget }) =>
                    save.mutate(filters.with(at, { ...filter, is_on: currentTarget.checked }))
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
                  onClick={() => onEdit(at)}
                >
                  Edit
                </Button>
                <Button
                  variant="default"
                  aria-label={`Delete ${filter.name}`}
                  onClick={() => setAsked(at)}
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
      <FormError error={save.error} />
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title={`Delete ${asked === null ? "" : (filters[asked]?.name ?? "")}?`}
        confirmLabel="Delete filter"
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          asked !== null &&
          remove.mutate(filters.toSpliced(asked, 1), { onSuccess: () => setAsked(null) })
        }
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
