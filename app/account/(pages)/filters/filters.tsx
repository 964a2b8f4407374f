"use client";

import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import {
  type Filter,
  rulesQuery,
  scriptsQuery,
  useSaveFilters,
} from "#app/account/rule-queries.ts";
import { EmptyState, Panel } from "#app/console/ui/panel.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { FilterForm } from "./filter-form.tsx";
import { FilterList, type OpenedFilter } from "./filter-list.tsx";

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
