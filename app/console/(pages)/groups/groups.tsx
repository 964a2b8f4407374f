"use client";

import { Anchor, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { usePrivileges } from "#app/console/privileges.ts";
import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { updateSearch } from "#app/console/ui/url-search.ts";

import classes from "./groups.module.css";
import { GroupList, GroupListSkeleton } from "./group-list.tsx";
import { groupsQuery } from "./queries.ts";

const HEAD = {
  title: "Groups",
  sentence: "Addresses that deliver mail to several members.",
  help: "groups",
} as const;

export function Groups() {
  const place = usePageCursor();
  const search = useSearchParams().get("search") ?? "";
  const groups = useQuery(groupsQuery(place, search));
  const isNone = groups.data?.data.length === 0 && !place.after && !place.before;
  if (isNone && search === "") return <NoGroups />;
  return (
    <>
      <PageHeader {...HEAD} action={groups.data && <CreateGroupButton />} />
      {groups.data && (
        <div className={classes.search} role="search">
          <SearchField
            noun="groups"
            placeholder="Address, name, or member"
            value={search}
            onSearch={(search) => updateSearch({ search }, "replace")}
          />
        </div>
      )}
      <QueryView query={groups} noun="groups" skeleton={<GroupListSkeleton />}>
        {(page) => (
          <>
            {isNone ? <NoMatchingGroups /> : <GroupList groups={page.data} />}
            <Pagination
              cursor={place}
              page={page}
              isPlaceholder={groups.isPlaceholderData}
              labels={{ newer: "Previous", older: "Next" }}
            />
          </>
        )}
      </QueryView>
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
    <>
      <PageHeader {...HEAD} />
      <EmptyState title="No groups yet">
        <Text c="dimmed">
          A group delivers mail sent to one address, such as support@, to all its members, inside
          and outside your company. You choose who can post and whether messages need approval.
        </Text>
        <div>
          <CreateGroupButton />
        </div>
      </EmptyState>
    </>
  );
}

function NoMatchingGroups() {
  return (
    <Text py="lg" role="status">
      No matching groups.{" "}
      <Anchor component={Link} href="/console/groups" underline="always">
        Clear search
      </Anchor>
    </Text>
  );
}

/** Shown until the URL's search parameters are known. */
export function GroupsSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <GroupListSkeleton />
    </>
  );
}
