import { Anchor, Text } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";

import { privilegeNames } from "#app/console/(pages)/team/privilege-text.ts";
import { EmptyList } from "#app/console/ui/empty-list.tsx";

import classes from "./no-roles.module.css";
import { SUGGESTED_ROLES, suggestedRoleUrl } from "./suggested-roles.ts";

/** In place of the list: what roles are for, and some to begin with. */
export function NoRoles({ create }: { create: ReactNode }) {
  return (
    <EmptyList title="Give people what their work needs">
      <Text>
        Owners may do everything. Everybody else does what their roles allow, in the whole company
        or in one unit. Begin with one of these, or make your own.
      </Text>
      <ul className={classes.suggestions}>
        {SUGGESTED_ROLES.map(({ name, sentence, privileges }) => (
          <li key={name} className={classes.suggestion}>
            <Anchor component={Link} href={suggestedRoleUrl(name)} fw={600}>
              {name}
            </Anchor>
            <Text size="sm">{sentence}</Text>
            <Text size="sm" c="dimmed">
              {privilegeNames(privileges)}
            </Text>
          </li>
        ))}
      </ul>
      <div>{create}</div>
    </EmptyList>
  );
}
