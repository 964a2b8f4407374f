"use client";

import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { displayName, accessStatus } from "#app/console/(pages)/team/admin-text.ts";
import { type AdminDetail, adminQuery } from "#app/console/(pages)/team/queries.ts";
import { useRights } from "#app/console/rights.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SideBySide } from "#app/console/ui/side-by-side.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { AdminAccess } from "./admin-access.tsx";
import { MailboxPrivileges } from "./mailbox-privileges.tsx";
import { AdminKeys } from "./admin-keys.tsx";
import { AdminFacts } from "./admin-facts.tsx";
import { AdminPrivileges } from "./admin-privileges.tsx";
import { AdminRoles } from "./admin-roles.tsx";

/** One person of the team: what they may do, and through what. */
export function AdminDetails({ id }: { id: string }) {
  const person = useQuery(adminQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Team", href: "/console/team" }]} />
      <QueryView query={person} what="this person" skeleton={<AdminSkeleton />} titleOrder={1}>
        {(person) => (
          <>
            <PageHeader
              title={displayName(person)}
              help="roles"
              sentence={<Status {...accessStatus(person)} />}
            />
            <SideBySide side={<AdminSidebar person={person} />}>
              <AdminSections person={person} />
            </SideBySide>
          </>
        )}
      </QueryView>
    </>
  );
}

/** Owners are changed by owners only. */
function useCanEdit(person: AdminDetail): boolean {
  const { isOwner } = useRights();
  return !person.is_owner || isOwner;
}

function AdminSidebar({ person }: { person: AdminDetail }) {
  const mayChange = useCanEdit(person);
  return (
    <>
      <AdminFacts person={person} />
      {mayChange && <AdminRoles key={person.roles.map(({ id }) => id).join()} person={person} />}
      <AdminKeys person={person} />
    </>
  );
}

function AdminSections({ person }: { person: AdminDetail }) {
  const { has } = useRights();
  const mayChange = useCanEdit(person);
  return (
    <Stack gap="md">
      <AdminPrivileges person={person} />
      {has("view_users") && <MailboxPrivileges person={person} />}
      {mayChange && !person.is_self && <AdminAccess person={person} />}
    </Stack>
  );
}

function AdminSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton height={34} width={240} />
      <Skeleton height={220} />
      <Skeleton height={420} />
    </Stack>
  );
}
