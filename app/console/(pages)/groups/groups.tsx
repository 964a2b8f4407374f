"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { useRights } from "#app/console/rights.ts";
import { EmptyList } from "#app/console/ui/empty-list.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { PagesOfList, usePlace } from "#app/console/ui/pages-of-list.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { GroupList, GroupListSkeleton } from "./group-list.tsx";
import { groupsQuery } from "./queries.ts";

const HEAD = { title: "Groups", sentence: "Addresses whose mail goes to several people." };

export function Groups() {
  const place = usePlace();
  const groups = useQuery(groupsQuery(place));
  const mayCreate = useRights().has("manage_groups");
  const isEmpty = groups.data?.data.length === 0 && !place.after && !place.before;
  const create = mayCreate && (
    <Button component={Link} href="/console/groups/new">
      Create group
    </Button>
  );
  return (
    <>
      <PageHeader {...HEAD} action={groups.data && !isEmpty && create} />
      <QueryView query={groups} what="the groups" skeleton={<GroupListSkeleton />}>
        {(page) =>
          isEmpty ? (
            <EmptyList title="Reach several people at one address">
              <Text c="dimmed">
                Mail to a group such as support@ goes to all its members, inside and outside your
                company. You choose who may write to it, and whether somebody looks at it first.
              </Text>
              {create && <div>{create}</div>}
            </EmptyList>
          ) : (
            <>
              <GroupList groups={page.data} />
              <PagesOfList
                place={place}
                page={page}
                isFormer={groups.isPlaceholderData}
                words={{ newer: "Previous", older: "Next" }}
              />
            </>
          )
        }
      </QueryView>
    </>
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
