"use client";

import { Anchor, Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { CodeSamples } from "#app/console/ui/code-samples.tsx";
import { requestSamples } from "#app/console/(pages)/api-keys/sample-code.ts";
import { meQuery } from "#app/console/session-queries.ts";
import { ContinueSearch } from "#app/console/ui/continue-search.tsx";
import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { isForbidden, QueryView } from "#app/console/ui/query-view.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { navigateInPlace, updateSearch } from "#app/console/ui/url-search.ts";

import { AddSuppressionsDialog } from "./add-suppressions-dialog.tsx";
import { EditableSuppressionList } from "./editable-suppression-list.tsx";
import { ExportSuppressionsButton } from "./export-button.tsx";
import { type Origin, type SuppressionFilterParams, suppressionsQuery } from "./queries.ts";
import classes from "./suppressions.module.css";
import { originLabels } from "./suppression-labels.ts";
import { SuppressionListSkeleton } from "./suppression-list.tsx";

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
      Object.hasOwn(originLabels, origin) && { origin: origin as keyof typeof originLabels }),
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

function NoSuppressions() {
  const me = useQuery(meQuery);
  if (!me.data) return null;
  const domain = me.data.company.sending_domain ?? "your-domain.example";
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

/** Filters for the list and for the export. */
function SuppressionFilters({ filters }: { filters: SuppressionFilterParams }) {
  const { origin, search = "" } = filters;
  return (
    <div className={classes.filters} role="search">
      <SearchField
        noun="suppressions"
        placeholder="Part of an address"
        value={search}
        onSearch={(search) => updateSearch({ search }, "replace")}
      />
      <FilterChips label="Reason">
        <FilterChip label="All" href={filterSearch({ search })} isActive={!origin} />
        {(Object.keys(originLabels) as Origin[]).map((name) => (
          <FilterChip
            key={name}
            label={originLabels[name].label}
            href={filterSearch({ origin: name, search })}
            isActive={name === origin}
          />
        ))}
      </FilterChips>
      <div className={classes.export}>
        <ExportSuppressionsButton filters={filters} />
      </div>
    </div>
  );
}

/** Drops the page position, so the list starts at the newest suppression. */
function filterSearch(filters: { origin?: string; search?: string }): string {
  const entries = Object.entries(filters).filter(([, value]) => value);
  return `?${new URLSearchParams(entries).toString()}`;
}
