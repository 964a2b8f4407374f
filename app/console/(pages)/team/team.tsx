"use client";

import { downloadUrl } from "#app/console/console-client.ts";
import { Button, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useState } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";
import { SearchField } from "#app/console/ui/search-field.tsx";
import { updateSearch, useOpenOnParam } from "#app/console/ui/url-search.ts";

import { Invitations } from "./invitations.tsx";
import { TEAM_SORTS, teamQuery } from "./queries.ts";
import { TEAM_LIST } from "./team-columns.tsx";

const InviteDialog = dynamic(() =>
  import("./invite-dialog.tsx").then(({ InviteDialog }) => InviteDialog),
);

const HEADER = {
  title: "Team",
  sentence: "The admins of your company and what they can do.",
  help: "roles",
} as const;
const SKELETON_ROWS = 6;

export function Team() {
  const place = usePageCursor();
  const search = useSearchParams().get("search") ?? "";
  const params = useListParams(TEAM_SORTS);
  const team = useQuery(teamQuery(place, search, params.sort));
  const { has } = usePrivileges();
  const [isInviting, setIsInviting] = useState(false);
  useOpenOnParam(["new", ""], has("manage_admins"), () => setIsInviting(true));
  return (
    <>
      <PageHeader
        {...HEADER}
        action={has("manage_admins") && <TeamActions onInvite={() => setIsInviting(true)} />}
      />
      <Stack gap="lg">
        <div>
          {team.data && (
            <FilterBar>
              <SearchField
                noun="the team"
                placeholder="Address or name"
                value={search}
                onSearch={(search) => updateSearch({ search }, "replace")}
              />
              <ListTools
                layout={TEAM_LIST}
                params={params}
                exportUrl={downloadUrl("team.export", { query: { search, sort: params.sort } })}
              />
            </FilterBar>
          )}
          <ListView
            {...{ place, params }}
            layout={TEAM_LIST}
            query={team}
            skeletonRows={SKELETON_ROWS}
            // The signed-in admin is always in it.
            isFiltered
            empty={null}
          />
        </div>
        {team.data && <Invitations />}
      </Stack>
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

export function TeamSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <DataTableSkeleton layout={TEAM_LIST} rows={SKELETON_ROWS} />
    </>
  );
}
