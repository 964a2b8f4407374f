"use client";

import { Box, Button, Text } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { ListPage } from "#app/console/ui/list-page.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { statusColumn } from "#app/console/ui/list-columns.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { CopyItem, LinkItem } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { useOpenOnParam } from "#app/console/ui/url-search.ts";

import { displayName, listStatus, localPart, roleSummary } from "./labels.ts";
import { Invitations } from "./invitations.tsx";

const InviteDialog = onDemand(() =>
  import("./invite-dialog.tsx").then(({ InviteDialog }) => InviteDialog),
);

export function Team() {
  const mayInvite = usePrivileges().has("manage_admins");
  const [isInviting, setIsInviting] = useState(false);
  useOpenOnParam(["new", ""], mayInvite, () => setIsInviting(true));
  return (
    <ListPage
      list="team.list"
      title="Team"
      description="The admins of your company and what they can do."
      help="roles"
      noun="admins"
      label="Admins"
      searchNoun="the team"
      settings={{ refetchInterval: 10_000 }}
      skeletonRows={6}
      search="Address or name"
      exports="team.export"
      actions={
        mayInvite && (
          <>
            <Button component={Link} href="/console/team/roles" variant="default">
              Roles
            </Button>
            <Button onClick={() => setIsInviting(true)}>Invite admin</Button>
          </>
        )
      }
      // The signed-in admin is always in it.
      isEmpty={() => false}
      empty={() => null}
      standardSort="email"
      nameOf={displayName}
      columns={{
        name: {
          header: "Name",
          kind: "name",
          width: "minmax(0, 4fr)",
          sort: "name",
          cell: (admin) => (
            <>
              <ListRowLink href={`/console/team/${admin.id}`} title={admin.email}>
                {admin.name || localPart(admin)}
              </ListRowLink>
              {admin.isSelf && (
                <Text span size="sm" c="dimmed">
                  (you)
                </Text>
              )}
            </>
          ),
        },
        email: {
          header: "Email address",
          width: "minmax(0, 5fr)",
          isMuted: true,
          sort: "email",
          cell: ({ email }) => email,
        },
        roles: {
          header: "Roles",
          width: "minmax(0, 5fr)",
          canHide: true,
          cell: roleSummary,
        },
        factor: {
          header: "Second factor",
          kind: "status",
          width: "104px",
          isOptional: true,
          canHide: true,
          cell: ({ hasSecondFactor: hasFactor }) => (
            <Status tone={hasFactor ? "done" : "none"} label={hasFactor ? "On" : "Off"} />
          ),
        },
        state: statusColumn("112px", listStatus, "Access"),
        seen: {
          header: "Last seen",
          kind: "moment",
          width: "116px",
          isOptional: true,
          sort: "-seen",
          cell: ({ lastSeenAt: at }) => (at === null ? "Never" : <RelativeTime at={at} />),
        },
      }}
      menu={({ id, email }) => (
        <>
          <LinkItem href={`/console/team/${id}`}>Change roles</LinkItem>
          <LinkItem href={changesBy(email)} needs={["view_audit"]}>
            View changes by this admin
          </LinkItem>
          <CopyItem value={email}>Copy address</CopyItem>
        </>
      )}
      phone={`"name name menu" auto "email email email" auto "roles state state" auto / minmax(0, 1fr) auto 28px`}
      below={
        <Box mt="lg">
          <Invitations />
        </Box>
      }
    >
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </ListPage>
  );
}

const changesBy = (email: string) =>
  `/console/audit?${new URLSearchParams({ actor: email, actorKind: "admin" }).toString()}`;
