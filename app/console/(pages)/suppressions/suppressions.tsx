"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { requestSamples } from "#app/console/(pages)/api-keys/sample-code.ts";
import { meQuery } from "#app/console/session-queries.ts";
import { CodeSamples } from "#app/console/ui/tabs.tsx";
import { DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { TIME_SORTS, useListParams } from "#app/console/ui/list-params.ts";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden } from "#app/console/ui/query-view.tsx";
import { useSelection } from "#app/console/ui/selection.tsx";
import { anyText, oneOf, useUrlFilters } from "#app/console/ui/url-filters.ts";

import { AddSuppressionsDialog } from "./add-suppressions-dialog.tsx";
import {
  readMatchingSuppressions,
  type SuppressionRow,
  suppressionsQuery,
  useRemoveSuppressions,
} from "./queries.ts";
import { SuppressionBulkActions } from "./suppression-bulk-actions.tsx";
import { suppressionList } from "./suppression-columns.tsx";
import { SuppressionFilters } from "./suppression-filters.tsx";
import { originLabels } from "./suppression-labels.ts";

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
