"use client";

import { Anchor, Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { PageHeader } from "#app/console/ui/page-header.tsx";
import { PagesOfList, usePlace } from "#app/console/ui/pages-of-list.tsx";
import { isRefused, QueryView } from "#app/console/ui/query-view.tsx";
import { SearchFurther } from "#app/console/ui/search-further.tsx";
import { inPlace } from "#app/console/ui/show-search.ts";

import { AddDialog } from "./add-dialog.tsx";
import { Filters } from "./filters.tsx";
import { NoSuppressions } from "./no-suppressions.tsx";
import { type SuppressionFilters, suppressionsQuery } from "./queries.ts";
import { SuppressionListSkeleton } from "./suppression-list.tsx";
import { origins } from "./suppression-words.ts";
import { SuppressionPage } from "./suppression-page.tsx";

const HEAD = {
  title: "Suppressions",
  sentence: "Addresses that your emails skip, so that your domains keep their good name.",
  help: "bounces",
} as const;

export function Suppressions() {
  const place = usePlace();
  const filters = useFilters();
  const list = useQuery(suppressionsQuery(place, filters));
  const [isAdding, adding] = useDisclosure();
  const isNone = list.data?.data.length === 0 && !place.after && !place.before;
  const isEmpty = isNone && Object.keys(filters).length === 0;
  const actions = (
    <>
      <Button component={Link} href="/console/suppressions/import" variant="default">
        Import CSV
      </Button>
      <Button onClick={adding.open}>Add addresses</Button>
    </>
  );
  return (
    <>
      <PageHeader {...HEAD} action={list.data && actions} />
      {!isEmpty && !isRefused(list) && <Filters filters={filters} />}
      <QueryView query={list} what="the suppressions" skeleton={<SuppressionListSkeleton />}>
        {(page) => {
          if (isEmpty) return <NoSuppressions />;
          return (
            <>
              {page.data.length > 0 ? <SuppressionPage rows={page.data} /> : <NothingFound />}
              {!place.before && <SearchFurther searchedTo={page.searched_to} />}
              <PagesOfList place={place} page={page} isFormer={list.isPlaceholderData} />
            </>
          );
        }}
      </QueryView>
      <AddDialog isOpen={isAdding} onClose={adding.close} />
    </>
  );
}

function NothingFound() {
  return (
    <Text py="lg">
      No suppressed address fits.{" "}
      <Anchor href="?" underline="always" onClick={inPlace("?")}>
        Show all
      </Anchor>
    </Text>
  );
}

function useFilters(): SuppressionFilters {
  const asked = useSearchParams();
  const [origin, search] = [asked.get("origin"), asked.get("search")];
  return {
    ...(origin !== null && origin in origins && { origin: origin as keyof typeof origins }),
    ...(search && { search }),
  };
}

/** Until the address is known: the list's place in it is part of the page. */
export function SuppressionsSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <SuppressionListSkeleton />
    </>
  );
}
