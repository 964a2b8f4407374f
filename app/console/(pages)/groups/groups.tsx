"use client";

import { downloadUrl } from "#app/console/console-client.ts";
import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { usePrivileges } from "#app/console/session.ts";
import { DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

import { GROUP_LIST } from "./group-columns.tsx";
import { GROUP_SORTS, groupsQuery } from "./queries.ts";

const HEAD = {
  title: "Groups",
  sentence: "Addresses that deliver mail to several members.",
  help: "groups",
} as const;
const SKELETON_ROWS = 5;

export function Groups() {
  const place = usePageCursor();
  const search = useSearchParams().get("search") ?? "";
  const params = useListParams(GROUP_SORTS);
  const groups = useQuery(groupsQuery(place, search, params.sort));
  const isFiltered = search !== "";
  const isEmpty = isEmptyList(groups, place, isFiltered);
  return (
    <>
      <PageHeader {...HEAD} action={groups.data && !isEmpty && <CreateGroupButton />} />
      {groups.data && !isEmpty && (
        <FilterBar>
          <SearchField
            noun="groups"
            placeholder="Address, name, or member"
            value={search}
            onSearch={(search) => updateSearch({ search }, "replace")}
          />
          <ListTools
            layout={GROUP_LIST}
            params={params}
            exportUrl={downloadUrl("groups.export", { query: { search, sort: params.sort } })}
          />
        </FilterBar>
      )}
      <ListView
        {...{ place, params, isFiltered }}
        layout={GROUP_LIST}
        query={groups}
        skeletonRows={SKELETON_ROWS}
        empty={<NoGroups />}
      />
    </>
  );
}

function CreateGroupButton() {
  if (!usePrivileges().has("manage_groups")) return null;
  return (
    <Button component={Link} href="/console/groups/new">
      Create group
    </Button>
  );
}

function NoGroups() {
  return (
    <EmptyState title="No groups yet">
      <Text c="dimmed">
        A group delivers mail sent to one address, such as support@, to all its members, inside and
        outside your company. You choose who can post and whether messages need approval.
      </Text>
      <div>
        <CreateGroupButton />
      </div>
    </EmptyState>
  );
}

/** Shown until the URL's search parameters are known. */
export function GroupsSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <DataTableSkeleton layout={GROUP_LIST} rows={SKELETON_ROWS} />
    </>
  );
}
