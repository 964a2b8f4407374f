"use client";

import { ActionIcon, Button, Skeleton, Stack, Switch, Text } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { type Filter, rulesQuery, scriptsQuery, useSaveFilters } from "#app/account/queries.ts";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmDialog, Modal } from "#app/console/ui/dialog.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { EmptyState, Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { describeAction, describeConditions, FilterForm } from "./filter-form.tsx";

/** The filter open in the dialog; its position is null for a new one. */
type Edited = Omit<OpenedFilter, "at"> & { at: number | null };

export function MailFilters() {
  const rules = useQuery(rulesQuery);
  const [edited, setEdited] = useState<Edited | null>(null);
  const filters = rules.data?.filters ?? [];
  const button = <Button onClick={() => setEdited({ filters, at: null })}>Create filter</Button>;
  return (
    <>
      <PageHeader
        title="Filters"
        description="Move, star, or delete mail automatically as it arrives."
        action={rules.data && button}
      />
      <Stack gap="md">
        <Panel>
          <QueryView query={rules} noun="your filters" skeleton={<Skeleton height={160} />}>
            {() =>
              filters.length > 0 ? (
                <>
                  <FilterList filters={filters} onEdit={setEdited} />
                  <Text size="sm" c="dimmed" mt="md">
                    Filters that star mail or mark it as read always apply. Of the filters that move
                    or delete mail, only the first match applies. Deleted mail isn’t forwarded, and
                    spam goes to Junk before filters run.
                  </Text>
                </>
              ) : (
                <EmptyState title="No filters yet">
                  <Text c="dimmed" maw={440}>
                    Move invoices to a folder, star mail from your manager, or delete newsletters
                    you never read.
                  </Text>
                  {button}
                </EmptyState>
              )
            }
          </QueryView>
        </Panel>
        <SieveScripts />
      </Stack>
      <Modal
        opened={edited !== null}
        onClose={() => setEdited(null)}
        title={edited?.at == null ? "Create filter" : "Edit filter"}
        size="lg"
      >
        {edited && <EditedFilter {...edited} onDone={() => setEdited(null)} />}
      </Modal>
    </>
  );
}

function EditedFilter({ filters, at, onDone }: Edited & { onDone: () => void }) {
  const save = useSaveFilters();
  const place = at ?? filters.length;
  return (
    <FilterForm
      initial={filters[place] ?? null}
      place={place}
      send={(filter) => save.run({ before: filters, after: withFilter(filters, place, filter) })}
      onDone={onDone}
    />
  );
}

const withFilter = (filters: Filter[], at: number, filter: Filter) =>
  at === filters.length ? [...filters, filter] : filters.with(at, filter);

/** Sieve scripts that mail apps uploaded with ManageSieve; read-only here. */
function SieveScripts() {
  const scripts = useQuery(scriptsQuery);
  return (
    <Panel title="Scripts from mail apps">
      <QueryView query={scripts} noun="your scripts" skeleton={<Skeleton height={40} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">No scripts. Mail apps with ManageSieve support can add them.</Text>
          ) : (
            <>
              <ItemList label="Scripts from mail apps">
                {data.map(({ name, isActive }) => (
                  <ItemRow
                    key={name}
                    title={name}
                    actions={
                      <Status
                        tone={isActive ? "done" : "none"}
                        label={isActive ? "Active" : "Inactive"}
                      />
                    }
                  />
                ))}
              </ItemList>
              <Text size="sm" c="dimmed" mt="md">
                The active script runs in addition to the filters above. Edit it in the app that
                created it.
              </Text>
            </>
          )
        }
      </QueryView>
    </Panel>
  );
}

/** A filter in the list as it was when the reader opened it. The list may change while they edit. */
type OpenedFilter = { filters: Filter[]; at: number };

function FilterList({
  filters,
  onEdit,
}: {
  filters: Filter[];
  onEdit: (opened: OpenedFilter) => void;
}) {
  const save = useSaveFilters();
  const remove = useSaveFilters();
  const [asked, setAsked] = useState<OpenedFilter | null>(null);
  // One at a time: each starts from the list as the one before left it.
  const change = (after: Filter[]) => !save.isPending && save.start({ before: filters, after });
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
                  // The form would start from the list before the save.
                  disabled={save.isPending}
                  onClick={() => onEdit({ filters, at })}
                >
                  Edit
                </Button>
                <Button
                  variant="default"
                  aria-label={`Delete ${filter.name}`}
                  disabled={save.isPending}
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
