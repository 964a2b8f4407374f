"use client";

import { Anchor, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";

import { privilegeLabels } from "#server/universal/privileges.ts";
import { rolesQuery } from "#app/console/(pages)/team/role-queries.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { DataTable, DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import classes from "./roles.module.css";
import { ROLE_LIST, ROLE_SORTS, sortRoles } from "./role-columns.tsx";
import { SUGGESTED_ROLES, suggestedRoleUrl } from "./suggested-roles.ts";

const TRAIL = [{ label: "Team", href: "/console/team" }];
const HEADER = {
  title: "Roles",
  help: "roles",
  description:
    "A role is a set of privileges that you assign to admins. Changes apply to everyone who has the role.",
} as const;
const SKELETON_ROWS = 4;

export function Roles() {
  const roles = useQuery(rolesQuery);
  const params = useListParams(ROLE_SORTS);
  const isEmpty = roles.data?.data.length === 0;
  const create = (
    <Button component={Link} href="/console/team/roles/new">
      Create role
    </Button>
  );
  return (
    <>
      <Breadcrumbs trail={TRAIL} />
      <PageHeader {...HEADER} action={roles.data && !isEmpty && create} />
      <QueryView query={roles} noun="the roles" skeleton={<RoleListSkeleton />}>
        {({ data }) =>
          isEmpty ? (
            <NoRoles create={create} />
          ) : (
            <>
              <FilterBar>
                <ListTools layout={ROLE_LIST} params={params} />
              </FilterBar>
              <DataTable layout={ROLE_LIST} rows={sortRoles(data, params.sort)} {...params} />
            </>
          )
        }
      </QueryView>
    </>
  );
}

/** The empty state: explains roles and suggests some. */
function NoRoles({ create }: { create: ReactNode }) {
  return (
    <EmptyState title="Give admins only the privileges they need">
      <Text>
        Owners can do everything. Other admins can do what their roles allow, in the whole company
        or in one unit. Start with one of these roles, or create your own.
      </Text>
      <ul className={classes.suggestions}>
        {SUGGESTED_ROLES.map(({ name, description, privileges }) => (
          <li key={name} className={classes.suggestion}>
            <Anchor component={Link} href={suggestedRoleUrl(name)} fw={600}>
              {name}
            </Anchor>
            <Text size="sm">{description}</Text>
            <Text size="sm" c="dimmed">
              {privilegeLabels(privileges)}
            </Text>
          </li>
        ))}
      </ul>
      <div>{create}</div>
    </EmptyState>
  );
}

const RoleListSkeleton = () => <DataTableSkeleton layout={ROLE_LIST} rows={SKELETON_ROWS} />;

/** Shown until the URL's search parameters are known. */
export function RolesSkeleton() {
  return (
    <>
      <Breadcrumbs trail={TRAIL} />
      <PageHeader {...HEADER} />
      <RoleListSkeleton />
    </>
  );
}
