"use client";

import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";

import { privilegeLabels, READY_MADE_ROLES } from "#server/universal/privileges.ts";
import { suggestedRoleUrl } from "#app/console/(pages)/team/labels.ts";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import { ListPage } from "#app/console/ui/list-page.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";

import classes from "./roles.module.css";

export const Roles = () => (
  <ListPage
    list="roles.list"
    trail={[{ label: "Team", href: "/console/team" }]}
    title="Roles"
    description="A role is a set of privileges that you assign to admins. Changes apply to everyone who has the role."
    help="roles"
    noun="roles"
    settings={{ refetchInterval: 10_000 }}
    skeletonRows={4}
    create={{ label: "Create role", href: "/console/team/roles/new" }}
    empty={(_, create) => <NoRoles create={create} />}
    sortBy={{ name: ({ name }) => name, holders: ({ holders }) => holders.length }}
    columns={{
      name: {
        header: "Role",
        kind: "name",
        width: "minmax(0, 3fr)",
        sort: "name",
        cell: ({ id, name }) => (
          <ListRowLink href={`/console/team/roles/${id}`}>{name}</ListRowLink>
        ),
      },
      privileges: {
        header: "Privileges",
        width: "minmax(0, 6fr)",
        cell: ({ privileges }) => (
          <span title={privilegeLabels(privileges)}>{privilegeLabels(privileges)}</span>
        ),
      },
      scope: {
        header: "Scope",
        width: "minmax(0, 2fr)",
        isMuted: true,
        cell: ({ unit }) => (unit ? `Unit ${unit.name}` : "Whole company"),
      },
      holders: {
        header: "Assigned to",
        kind: "moment",
        width: "96px",
        sort: "-holders",
        cell: ({ holders }) =>
          holders.length === 0 ? "No one" : pluralize(holders.length, "admin"),
      },
    }}
    phone={`"name holders" auto "privileges privileges" auto "scope scope" auto / minmax(0, 1fr) auto`}
  />
);

/** The empty state: explains roles and suggests some. */
function NoRoles({ create }: { create: ReactNode }) {
  return (
    <EmptyState title="Give admins only the privileges they need">
      <Text>
        Owners can do everything. Other admins can do what their roles allow, in the whole company
        or in one unit. Start with one of these roles, or create your own.
      </Text>
      <ul className={classes.suggestions}>
        {READY_MADE_ROLES.map(({ name, description, privileges }) => (
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
