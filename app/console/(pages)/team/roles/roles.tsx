"use client";

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { rolesQuery } from "#app/console/(pages)/team/role-queries.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { NoRoles } from "./no-roles.tsx";
import { RoleList, RoleListSkeleton } from "./role-list.tsx";

export function Roles() {
  const roles = useQuery(rolesQuery);
  const isEmpty = roles.data?.data.length === 0;
  const create = (
    <Button component={Link} href="/console/team/roles/new">
      Create role
    </Button>
  );
  return (
    <>
      <Breadcrumbs trail={[{ label: "Team", href: "/console/team" }]} />
      <PageHeader
        title="Roles"
        help="roles"
        description="A role is a set of privileges that you assign to admins. Changes apply to everyone who has the role."
        action={roles.data && !isEmpty && create}
      />
      <QueryView query={roles} noun="the roles" skeleton={<RoleListSkeleton />}>
        {({ data }) => (isEmpty ? <NoRoles create={create} /> : <RoleList roles={data} />)}
      </QueryView>
    </>
  );
}
