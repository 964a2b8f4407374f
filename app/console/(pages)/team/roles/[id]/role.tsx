"use client";

import { Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { type RoleRow, type Roles, rolesQuery } from "#app/console/(pages)/team/role-queries.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { DeleteRole } from "./delete-role.tsx";
import { EditRole } from "./edit-role.tsx";
import { RoleHolders } from "./role-holders.tsx";
import classes from "./role.module.css";

export function RoleDetails({ id }: { id: string }) {
  const roles = useQuery(rolesQuery);
  return (
    <>
      <Breadcrumbs
        trail={[
          { label: "Team", href: "/console/team" },
          { label: "Roles", href: "/console/team/roles" },
        ]}
      />
      <QueryView query={roles} noun="this role" skeleton={<Skeleton height={560} />} titleOrder={1}>
        {(roles) => <FoundRole roles={roles} id={id} />}
      </QueryView>
    </>
  );
}

function FoundRole({ roles, id }: { roles: Roles; id: string }) {
  const role = roles.data.find((role) => role.id === id);
  if (!role) return <RoleNotFound />;
  return <RoleSections role={role} roles={roles} />;
}

function RoleNotFound() {
  return (
    <div role="alert">
      <Title order={1}>Role not found</Title>
      <Text c="dimmed">It may have been deleted. Check the URL.</Text>
    </div>
  );
}

function RoleSections({ role, roles }: { role: RoleRow; roles: Roles }) {
  // Remounts the form, which otherwise keeps the role as first loaded.
  const [version, setVersion] = useState(0);
  return (
    <>
      <PageHeader documentTitle={`${role.name} · Roles`} title={role.name} help="roles" />
      <Stack gap="md">
        <div className={classes.both}>
          <EditRole
            key={version}
            role={role}
            roles={roles}
            onReset={() => setVersion(version + 1)}
          />
          <RoleHolders role={role} />
        </div>
        <DeleteRole role={role} />
      </Stack>
    </>
  );
}
