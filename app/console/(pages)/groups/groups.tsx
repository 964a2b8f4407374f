"use client";

import { Anchor, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { useRights } from "#app/console/rights.ts";
import { EmptyList } from "#app/console/ui/empty-list.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { PagesOfList, usePlace } from "#app/console/ui/pages-of-list.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { changeSearch } from "#app/console/ui/show-search.ts";

import classes from "./groups.module.css";
import { GroupList, GroupListSkeleton } from "./group-list.tsx";
import { groupsQuery } from "./queries.ts";

const HEAD = {
  title: "Groups",
  sentence: "Addresses whose mail goes to several people.",
  help: "groups",
} as const;

export function Groups() {
  const place = usePlace();
  const search = useSearchParams().get("search") ?? "";
  const groups = useQuery(groupsQuery(place, search));
  const isNone = groups.data?.data.length === 0 && !place.after && !place.before;
  if (isNone && search === "") return <NoGroups />;
  return (
    <>
      <PageHeader {...HEAD} action={groups.data && <Create />} />
      {groups.data && (
        <div className={classes.search} role="search">
          <SearchField
            what="groups"
            hint="Address, name or member"
            asked={search}
            onSearch={(search) => changeSearch({ search })}
          />
        </div>
      )}
      <QueryView query={groups} what="the groups" skeleton={<GroupListSkeleton />}>
        {(page) => (
          <>
            {isNone ? <NothingFound /> : <GroupList groups={page.data} />}
            <PagesOfList
              place={place}
              page={page}
              isFormer={groups.isPlaceholderData}
              words={{ newer: "Previous", older: "Next" }}
            />
          </>
        )}
      </QueryView>
    </>
  );
}

/** For who may. */
function Create() {
  if (!useRights().has("manage_groups")) return null;
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
      <EmptyList title="Reach several people at one address">
        <Text c="dimmed">
          Mail to a group such as support@ goes to all its members, inside and outside your company.
          You choose who may write to it, and whether somebody looks at it first.
        </Text>
        <div>
          <Create />
        </div>
      </EmptyList>
    </>
  );
}

function NothingFound() {
  return (
    <Text py="lg" role="status">
      No group fits.{" "}
      <Anchor component={Link} href="/console/groups" underline="always">
        Show all
      </Anchor>
    </Text>
  );
}

/** Until the address is known: the list's place in it is part of the page. */
export function GroupsSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <GroupListSkeleton />
    </>
  );
}
