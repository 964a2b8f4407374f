"use client";

import { Anchor, Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { requestSamples } from "#app/console/(pages)/api-keys/send-email-samples.tsx";
import { downloadUrl } from "#app/console/console-client.ts";
import { meQuery } from "#app/console/session.ts";
import { DataTableSkeleton, type ListLayout } from "#app/console/ui/data-table.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { type SortOf, TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { type ListParams, ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { type RowPage, type PageCursor, usePageCursor } from "#app/console/ui/pagination.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { SelectionBar } from "#app/console/ui/selection-bar.tsx";
import { selectColumn, type Selection, useSelection } from "#app/console/ui/selection.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { CodeSamples } from "#app/console/ui/tabs.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { anyText, oneOf, useUrlFilters } from "#app/console/ui/url-filters.ts";
import { changedSearch, updateSearch } from "#app/console/ui/url-search.ts";

import { AddSuppressionsDialog } from "./add-suppressions-dialog.tsx";
import {
  type SuppressionOrigin,
  readMatchingSuppressions,
  type SuppressionFilterParams,
  type SuppressionRow,
  suppressionsQuery,
  useRemoveSuppressions,
} from "./queries.ts";
import { addressCount, originLabels } from "./suppression-labels.ts";
import classes from "./suppressions.module.css";

const HEAD = {
  title: "Suppressions",
  sentence: "Addresses that no longer get your emails, to protect your domains’ reputation.",
  help: "bounces",
} as const;

const SKELETON_ROWS = 20;

export function Suppressions() {
  const place = usePageCursor();
  const filters = useUrlFilters({ origin: oneOf(originLabels), search: anyText });
  const params = useListParams(TIME_SORTS);
  const list = useQuery(suppressionsQuery(place, filters, params.sort));
  const [isAdding, adding] = useDisclosure();
  const selection = useSelection<SuppressionRow>();
  const removal = useRemoveSuppressions();
  const leaving = new Set<string>(removal.isPending ? removal.variables?.ids : []);

  function remove(ids: string[], name: string) {
    selection.setChosen(new Map());
    removal.start({ ids, name });
  }

  const layout = suppressionList(selection, (row) => remove([row.id], row.email));

  const isFiltered = Object.keys(filters).length > 0;
  const isEmpty = isEmptyList(list, place, isFiltered);
  const actions = (
    <>
      <Button component={Link} href="/console/suppressions/import" variant="default">
        Import suppressions
      </Button>
      <Button onClick={adding.open}>Add suppressions</Button>
    </>
  );
  return (
    <>
      <PageHeader {...HEAD} action={list.data && actions} />
      {!isEmpty && !isForbidden(list) && (
        <SuppressionFilters filters={filters} layout={layout} params={params} />
      )}
      <ListView
        {...{ layout, place, params, isFiltered }}
        query={list}
        leaving={leaving}
        skeletonRows={SKELETON_ROWS}
        empty={<NoSuppressions />}
        above={(page) =>
          page.data.length > 0 && (
            <SuppressionBulkActions
              {...{ page, place, selection }}
              readAll={() => readMatchingSuppressions(filters, params.sort)}
              onRemove={remove}
            />
          )
        }
      />
      <AddSuppressionsDialog isOpen={isAdding} onClose={adding.close} />
    </>
  );
}

const suppressionList = (
  selection: Selection<SuppressionRow>,
  onRemove: (row: SuppressionRow) => void,
): ListLayout<SuppressionRow> => ({
  noun: "suppressions",
  label: "Suppressed addresses",
  className: classes.list,
  columns: [
    selectColumn(selection, ({ email }) => email),
    {
      area: "email",
      header: "Address",
      kind: "name",
      width: "minmax(0, 5fr)",
      cell: ({ email }) => (
        <span className={classes.email} title={email}>
          {email}
        </span>
      ),
    },
    {
      area: "why",
      header: "Reason",
      kind: "status",
      width: "132px",
      cell: ({ origin }) => <Status {...originLabels[origin]} />,
    },
    {
      area: "source",
      header: "Source email",
      kind: "text",
      width: "minmax(0, 5fr)",
      canHide: true,
      cell: ({ source }) => <SourceEmail source={source} />,
    },
    {
      area: "since",
      header: "Added",
      kind: "moment",
      width: "116px",
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
    {
      area: "remove",
      header: "Remove",
      kind: "actions",
      width: "80px",
      cell: (row) => (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`Remove ${row.email}`}
          onClick={() => onRemove(row)}
        >
          Remove
        </Button>
      ),
    },
  ],
  phone: `"choose email email" auto ". why since" auto ". source source" auto ". remove ." auto
    / 20px minmax(0, 1fr) auto`,
});

const SKELETON_LIST = suppressionList(
  { chosen: new Map(), setChosen: () => {}, choose: () => {} },
  () => {},
);

/** Shown until the search parameters are known. */
export function SuppressionsSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <DataTableSkeleton layout={SKELETON_LIST} rows={SKELETON_ROWS} />
    </>
  );
}

function NoSuppressions() {
  const me = useQuery(meQuery);
  if (!me.data) return null;
  const domain = me.data.company.sendingDomain ?? "your-domain.example";
  const body = { email: `left-the-newsletter@${domain}` };
  return (
    <EmptyState title="No suppressions yet">
      <Text c="dimmed">
        Posthouse suppresses an address automatically when an email to it bounces permanently, or
        its owner marks one as spam or unsubscribes. Not sending to these addresses protects your
        reputation with mailbox providers.
      </Text>
      <Text>You can also add addresses here, import them from a file, or use the API:</Text>
      <CodeSamples samples={requestSamples(window.location.origin, "/suppressions", body)} />
    </EmptyState>
  );
}

function SuppressionFilters({
  filters: { origin, search = "" },
  layout,
  params,
}: {
  filters: SuppressionFilterParams;
  layout: ListLayout<SuppressionRow>;
  params: ListParams & { sort: SortOf<typeof TIME_SORTS> };
}) {
  const current = useSearchParams();
  const { sort } = params;
  return (
    <FilterBar>
      <SearchField
        noun="suppressions"
        placeholder="Part of an address"
        value={search}
        onSearch={(search) => updateSearch({ search }, "replace")}
      />
      <FilterChips label="Reason">
        <FilterChip label="All" href={changedSearch(current, { origin: "" })} isActive={!origin} />
        {(Object.keys(originLabels) as SuppressionOrigin[]).map((name) => (
          <FilterChip
            key={name}
            label={originLabels[name].label}
            href={changedSearch(current, { origin: name })}
            isActive={name === origin}
          />
        ))}
      </FilterChips>
      <ListTools
        {...{ layout, params }}
        exportUrl={downloadUrl("suppressions.export", { query: { origin, search, sort } })}
      />
    </FilterBar>
  );
}

/** Removes the selected addresses, which may be on other pages. */
function SuppressionBulkActions({
  page,
  place,
  selection,
  readAll,
  onRemove,
}: {
  page: Omit<RowPage, "data"> & { data: SuppressionRow[] };
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

/** The email that bounced, was marked as spam or was unsubscribed from. */
function SourceEmail({ source }: { source: SuppressionRow["source"] }) {
  if (source === null) return null;
  if (source.subject === null) return "Deleted email";
  return (
    <Anchor component={Link} href={`/console/emails/${source.id}`} inherit>
      {source.subject || "(no subject)"}
    </Anchor>
  );
}
