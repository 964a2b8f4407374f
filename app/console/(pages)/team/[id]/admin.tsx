"use client";

import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { displayName, accessStatus } from "#app/console/(pages)/team/admin-text.ts";
import { type AdminDetail, adminQuery } from "#app/console/(pages)/team/queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SideBySide } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { AdminAccess } from "./admin-access.tsx";
import { MailboxPrivileges } from "./mailbox-privileges.tsx";
import { AdminKeys } from "./admin-keys.tsx";
import { AdminFacts } from "./admin-facts.tsx";
import { AdminPrivileges } from "./admin-privileges.tsx";
import { AdminRoles } from "./admin-roles.tsx";

export function AdminDetails({ id }: { id: string }) {
  const admin = useQuery(adminQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Team", href: "/console/team" }]} />
      <QueryView query={admin} noun="this admin" skeleton={<AdminSkeleton />} titleOrder={1}>
        {(admin) => (
          <>
            <PageHeader
              documentTitle={`${displayName(admin)} · Team`}
              title={displayName(admin)}
              help="roles"
              description={<Status {...accessStatus(admin)} />}
            />
            <SideBySide side={<AdminSidebar admin={admin} />}>
              <AdminSections admin={admin} />
            </SideBySide>
          </>
        )}
      </QueryView>
    </>
  );
}

/** Only owners can edit owners. */
function useCanEdit(admin: AdminDetail): boolean {
  const { isOwner } = usePrivileges();
  return !admin.isOwner || isOwner;
}

function AdminSidebar({ admin }: { admin: AdminDetail }) {
  const canEdit = useCanEdit(admin);
  return (
    <>
      <AdminFacts admin={admin} />
      {canEdit && <AdminRoles admin={admin} />}
      <AdminKeys admin={admin} />
    </>
  );
}

function AdminSections({ admin }: { admin: AdminDetail }) {
  const { has } = usePrivileges();
  const canEdit = useCanEdit(admin);
  return (
    <Stack gap="md">
      <AdminPrivileges admin={admin} />
      {has("view_users") && <MailboxPrivileges admin={admin} />}
      {canEdit && !admin.isSelf && <AdminAccess admin={admin} />}
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
