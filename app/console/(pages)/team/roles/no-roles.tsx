import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";

import { privilegeNames } from "#app/console/(pages)/team/privilege-text.ts";
import { EmptyState } from "#app/console/ui/empty-state.tsx";

import classes from "./no-roles.module.css";
import { SUGGESTED_ROLES, suggestedRoleUrl } from "./suggested-roles.ts";

/** The empty state: explains roles and suggests some. */
export function NoRoles({ create }: { create: ReactNode }) {
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
              {privilegeNames(privileges)}
            </Text>
          </li>
        ))}
      </ul>
      <div>{create}</div>
    </EmptyState>
  );
}
