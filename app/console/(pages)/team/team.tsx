"use client";

import { Anchor, Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useState } from "react";

import { usePrivileges } from "#app/console/privileges.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Pagination, usePageCursor } from "#app/console/ui/pagination.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";
import { useOpenOnParam } from "#app/console/ui/use-open-on-param.ts";

import { Invitations } from "./invitations.tsx";
import { teamQuery } from "./queries.ts";
import classes from "./team.module.css";
import { TeamList, TeamListSkeleton } from "./team-list.tsx";

const InviteDialog = dynamic(() =>
  import("./invite-dialog.tsx").then(({ InviteDialog }) => InviteDialog),
);

const HEADER = {
  title: "Team",
  sentence: "The admins of your company and what they can do.",
  help: "roles",
} as const;

export function Team() {
  const place = usePageCursor();
  const search = useSearchParams().get("search") ?? "";
  const team = useQuery(teamQuery(place, search));
  const { has } = usePrivileges();
  const [isInviting, setIsInviting] = useState(false);
  useOpenOnParam(["new", ""], has("manage_admins"), () => setIsInviting(true));
  const isNone = team.data?.data.length === 0;
  return (
    <>
      <PageHeader
        {...HEADER}
        action={has("manage_admins") && <TeamActions onInvite={() => setIsInviting(true)} />}
      />
      <QueryView query={team} noun="the team" skeleton={<TeamListSkeleton />}>
        {(page) => (
          <Stack gap="lg">
            <div>
              <div className={classes.filters} role="search">
                <SearchField
                  noun="the team"
                  placeholder="Address or name"
                  value={search}
                  onSearch={(search) =>
                    replaceSearch(search ? `?${new URLSearchParams({ search }).toString()}` : "?")
                  }
                />
              </div>
              {isNone ? <NoMatchingAdmins /> : <TeamList admins={page.data} />}
              <Pagination
                cursor={place}
                page={{ ...page, data: page.data.map(({ email }) => ({ id: email })) }}
                isPlaceholder={team.isPlaceholderData}
                labels={{ newer: "Previous", older: "Next" }}
              />
            </div>
            <Invitations />
          </Stack>
        )}
      </QueryView>
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </>
  );
}

function TeamActions({ onInvite }: { onInvite: () => void }) {
  return (
    <>
      <Button component={Link} href="/console/team/roles" variant="default">
        Roles
      </Button>
      <Button onClick={onInvite}>Invite admin</Button>
    </>
  );
}

function NoMatchingAdmins() {
  return (
    <Text py="lg">
      No matching admins.{" "}
      <Anchor component={Link} underline="always" href="/console/team">
        Clear search
      </Anchor>
    </Text>
  );
}

export function TeamSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <TeamListSkeleton />
    </>
  );
}
