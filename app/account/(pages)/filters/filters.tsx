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
import { useTexts } from "#app/console/ui/texts.tsx";

import { describeAction, describeConditions, FilterForm } from "./filter-form.tsx";

/** The filter open in the dialog; its position is null for a new one. */
type Edited = Omit<OpenedFilter, "at"> & { at: number | null };

export function MailFilters() {
  const text = useTexts();
  const rules = useQuery(rulesQuery);
  const [edited, setEdited] = useState<Edited | null>(null);
  const filters = rules.data?.filters ?? [];
  const button = (
    <Button onClick={() => setEdited({ filters, at: null })}>{text("filters.create")}</Button>
  );
  return (
    <>
      <PageHeader
        title={text("filters")}
        description={text("filters.text")}
        action={filters.length > 0 && button}
      />
      <Stack gap="md">
        <Panel>
          <QueryView query={rules} noun={text("noun.filters")} skeleton={<Skeleton height={160} />}>
            {() =>
              filters.length > 0 ? (
                <>
                  <FilterList filters={filters} onEdit={setEdited} />
                  <Text size="sm" c="dimmed" mt="md">
                    {text("filters.order")}
                  </Text>
                </>
              ) : (
                <EmptyState title={text("filters.none")}>
                  <Text>{text("filters.none.text")}</Text>
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
        title={text(edited?.at == null ? "filters.create" : "filters.edit")}
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
  const text = useTexts();
  const scripts = useQuery(scriptsQuery);
  return (
    <Panel title={text("filters.scripts")}>
      <QueryView query={scripts} noun={text("noun.scripts")} skeleton={<Skeleton height={40} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{text("filters.scripts.none")}</Text>
          ) : (
            <>
              <ItemList label={text("filters.scripts")}>
                {data.map(({ name, isActive }) => (
                  <ItemRow
                    key={name}
                    title={name}
                    actions={
                      <Status
                        tone={isActive ? "done" : "none"}
                        label={text(
                          isActive ? "filters.scripts.active" : "filters.scripts.inactive",
                        )}
                      />
                    }
                  />
                ))}
              </ItemList>
              <Text size="sm" c="dimmed" mt="md">
                {text("filters.scripts.text")}
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
  const text = useTexts();
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
      <ItemList label={text("filters")}>
        {filters.map((filter, at) => (
          <ItemRow
            key={at}
            title={filter.name}
            actions={
              <>
                <Switch
                  aria-label={text("filters.isOn", { name: filter.name })}
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
                  aria-label={text("filters.edit.name", { name: filter.name })}
                  // The form would start from the list before the save.
                  disabled={save.isPending}
                  onClick={() => onEdit({ filters, at })}
                >
                  {text("filters.edit.short")}
                </Button>
                <Button
                  variant="default"
                  aria-label={text("filters.delete.name", { name: filter.name })}
                  disabled={save.isPending}
                  onClick={() => setAsked({ filters, at })}
                >
                  {text("filters.delete.short")}
                </Button>
              </>
            }
          >
            <div>{describeConditions(filter, text)}</div>
            <div>{describeAction(filter.action, text)}</div>
          </ItemRow>
        ))}
      </ItemList>
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title={text("filters.delete.title", { name: asked?.filters[asked.at]?.name ?? "" })}
        confirmLabel={text("filters.delete")}
        onConfirm={() => {
          const { filters: before, at } = asked!;
          return remove.run({ before, after: before.toSpliced(at, 1) });
        }}
      >
        {text("filters.delete.text")}
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
  const text = useTexts();
  const isUp = to === "up";
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={text(`filters.${to}.name`, { name })}
      title={text(`filters.${to}`)}
      disabled={at === (isUp ? 0 : last)}
      onClick={() => onMove(at, isUp ? at - 1 : at + 1)}
    >
      {isUp ? <IconArrowUp size={16} /> : <IconArrowDown size={16} />}
    </ActionIcon>
  );
}
