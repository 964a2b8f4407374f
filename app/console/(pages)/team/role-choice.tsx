"use client";

import { Anchor, Checkbox, Text } from "@mantine/core";
import Link from "next/link";
import { useId } from "react";

import { privilegeLabels } from "#server/universal/privileges.ts";
import classes from "./team.module.css";
import type { RoleRow } from "./queries.ts";

/**
 * Checkboxes to assign roles. Roles that the signed-in admin can't assign are disabled with the reason, unless
 * they are already assigned: those can be removed.
 *
 * @param assigned role IDs
 * @param isSelf whether this is the signed-in admin, who can't assign roles to themselves
 */
export function RoleChoice({
  roles,
  value,
  onChange,
  assigned = [],
  isSelf = false,
  error = null,
}: {
  roles: RoleRow[];
  value: string[];
  onChange: (ids: string[]) => void;
  assigned?: string[];
  isSelf?: boolean;
  error?: string | null;
}) {
  const problemId = useId();
  return (
    <fieldset className={classes.choice} aria-describedby={error ? problemId : undefined}>
      <legend className={classes.legend}>Roles</legend>
      {roles.length === 0 && (
        <Text c="dimmed">
          Your company has no roles yet.{" "}
          <Anchor component={Link} underline="always" href="/console/team/roles">
            Create a role
          </Anchor>
        </Text>
      )}
      {roles.map((role) => {
        const reason = assigned.includes(role.id) ? null : unassignableReason(role, isSelf);
        return (
          <Checkbox
            key={role.id}
            label={role.unit ? `${role.name}, in ${role.unit.name} and its subunits` : role.name}
            description={reason ?? privilegeLabels(role.privileges)}
            classNames={{ description: classes.description }}
            disabled={reason !== null}
            checked={value.includes(role.id)}
            onChange={(event) =>
              onChange(
                event.currentTarget.checked
                  ? [...value, role.id]
                  : value.filter((id) => id !== role.id),
              )
            }
          />
        );
      })}
      {error && (
        <Text id={problemId} role="alert" size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
    </fieldset>
  );
}

function unassignableReason({ lacking }: RoleRow, isSelf: boolean): string | null {
  if (isSelf) return "You can’t assign roles to yourself. Ask another admin.";
  return lacking.length === 0
    ? null
    : `You can’t assign this role because you don’t have ${privilegeLabels(lacking)}.`;
}
