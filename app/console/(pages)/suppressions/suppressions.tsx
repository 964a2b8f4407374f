"use client";

import { Anchor, Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";
import { ContinueSearch } from "#app/console/ui/continue-search.tsx";
import { navigateInPlace } from "#app/console/ui/url-search.ts";

import { AddSuppressionsDialog } from "./add-suppressions-dialog.tsx";
import { SuppressionFilters } from "./suppression-filters.tsx";
import { NoSuppressions } from "./no-suppressions.tsx";
import { type SuppressionFilterParams, suppressionsQuery } from "./queries.ts";
import { SuppressionListSkeleton } from "./suppression-list.tsx";
import { originLabels } from "./suppression-labels.ts";
import { EditableSuppressionList } from "./editable-suppression-list.tsx";

const HEAD = {
  title: "Suppressions",
  sentence: "Addresses that no longer get your emails, to protect your domains’ reputation.",
  help: "bounces",
} as const;

export function Suppressions() {
  const place = usePageCursor();
  const filters = useFilters();
  const list = useQuery(suppressionsQuery(place, filters));
  const [isAdding, adding] = useDisclosure();
  const hasNoRows = list.data?.data.length === 0 && !place.after && !place.before;
  const isEmpty = hasNoRows && Object.keys(filters).length === 0;
  const actions = (
    <>
      <Button component={Link} href="/console/suppressions/import" variant="default">
        Import CSV
      </Button>
      <Button onClick={adding.open}>Add suppressions</Button>
    </>
  );
  return (
    <>
      <PageHeader {...HEAD} action={list.data && actions} />
      {!isEmpty && !isForbidden(list) && <SuppressionFilters filters={filters} />}
      <QueryView query={list} noun="the suppressions" skeleton={<SuppressionListSkeleton />}>
        {(page) => {
          if (isEmpty) return <NoSuppressions />;
          return (
            <>
              {page.data.length > 0 ? (
                <EditableSuppressionList rows={page.data} />
              ) : (
                <NoMatchingSuppressions />
              )}
              {!place.before && <ContinueSearch searchedTo={page.searched_to} />}
              <Pagination cursor={place} page={page} isPlaceholder={list.isPlaceholderData} />
            </>
          );
        }}
      </QueryView>
      <AddSuppressionsDialog isOpen={isAdding} onClose={adding.close} />
    </>
  );
}

function NoMatchingSuppressions() {
  return (
    <Text py="lg">
      No matching suppressions.{" "}
      <Anchor href="?" underline="always" onClick={navigateInPlace("?")}>
        Clear filters
      </Anchor>
    </Text>
  );
}

function useFilters(): SuppressionFilterParams {
  const params = useSearchParams();
  const [origin, search] = [params.get("origin"), params.get("search")];
  return {
    ...(origin !== null &&
      origin in originLabels && { origin: origin as keyof typeof originLabels }),
    ...(search && { search }),
  };
}

/** Shown until the search parameters are known. */
export function SuppressionsSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <SuppressionListSkeleton />
    </>
  );
}
