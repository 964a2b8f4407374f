"use client";

import { Anchor, Skeleton, Stack, Text, Title } from "@mantine/core";
import { privilegeLabels } from "#server/universal/privileges.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { displayName } from "#app/console/(pages)/team/labels.ts";
import {
  CHANGES_TEAM,
  TEAM_SETTINGS,
  type RoleRow,
  type RoleList,
} from "#app/console/(pages)/team/queries.ts";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { DangerousAction } from "#app/console/ui/dialog.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { EditRole } from "./forms.tsx";
import classes from "./roles.module.css";

export function RoleDetails({ id }: { id: string }) {
  const roles = useRead("roles.list", {}, TEAM_SETTINGS);
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

function FoundRole({ roles, id }: { roles: RoleList; id: string }) {
  const role = roles.data.find((role) => role.id === id);
  if (!role) return <RoleNotFound />;
  return <RoleSections role={role} roles={roles} />;
}

const RoleNotFound = () => (
  <div role="alert">
    <Title order={1}>Role not found</Title>
    <Text c="dimmed">It may have been deleted. Check the URL.</Text>
  </div>
);

function RoleSections({ role, roles }: { role: RoleRow; roles: RoleList }) {
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

const RoleHolders = ({ role: { holders } }: { role: RoleRow }) => (
  <Panel title="Assigned to">
    {holders.length === 0 ? (
      <Text c="dimmed">No one yet. Assign this role on an admin’s page or in an invitation.</Text>
    ) : (
      <ul className={classes.holders}>
        {holders.map((admin) => (
          <li key={admin.id}>
            <Anchor component={Link} underline="always" href={`/console/team/${admin.id}`}>
              {displayName(admin)}
            </Anchor>{" "}
            {admin.name && (
              <Text component="span" size="sm" c="dimmed">
                {admin.email}
              </Text>
            )}
          </li>
        ))}
      </ul>
    )}
  </Panel>
);

const HOLDERS_MAX = 10;

function DeleteRole({ role }: { role: RoleRow }) {
  const router = useRouter();
  const deletion = useChange("roles.delete", CHANGES_TEAM);
  const { holders } = role;
  const admins = pluralize(holders.length, "admin");
  return (
    <DangerousAction
      title="Delete this role"
      action="Delete role"
      description={
        holders.length === 0 ? "No one has this role." : `${admins} will lose its privileges.`
      }
      question={`Delete role ${role.name}?`}
      typeToConfirm={holders.length > 0 ? role.name : undefined}
      leavesPage
      onConfirm={async () => {
        await deletion.run({ params: { id: role.id } });
        toast(`Role ${role.name} deleted`);
        router.replace("/console/team/roles");
      }}
    >
      <Stack gap="xs">
        <Text>
          {holders.length === 0
            ? "No one has this role."
            : `These admins will lose ${privilegeLabels(role.privileges)}, unless another role gives it to them: ${holderNames(holders)}.`}
        </Text>
        <Text c="dimmed">Pending invitations will no longer include this role.</Text>
      </Stack>
    </DangerousAction>
  );
}

function holderNames(holders: RoleRow["holders"]): string {
  const names = holders.slice(0, HOLDERS_MAX).map(displayName).join(", ");
  const more = holders.length - HOLDERS_MAX;
  return more > 0 ? `${names} and ${more} more` : names;
}
