import { Anchor, Checkbox, Text } from "@mantine/core";
import Link from "next/link";
import { useId } from "react";

import { privilegeNames } from "./privilege-text.ts";
import classes from "./role-choice.module.css";
import type { RoleRow } from "./role-queries.ts";

/**
 * Which roles somebody has. What one may not give oneself is shown with the reason, and can be taken away.
 *
 * @param held the roles they have already
 * @param isSelf nobody gives rights to themselves
 */
export function RoleChoice({
  roles,
  value,
  onChange,
  held = [],
  isSelf = false,
  error = null,
}: {
  roles: RoleRow[];
  value: string[];
  onChange: (ids: string[]) => void;
  held?: string[];
  isSelf?: boolean;
  error?: string | null;
}) {
  const problemId = useId();
  return (
    <fieldset className={classes.choice} aria-describedby={error ? problemId : undefined}>
      <legend className={classes.legend}>Roles</legend>
      {roles.length === 0 && (
        <Text c="dimmed">
          The company has no roles yet.{" "}
          <Anchor component={Link} underline="always" href="/console/team/roles">
            Make one
          </Anchor>
        </Text>
      )}
      {roles.map((role) => {
        const reason = held.includes(role.id) ? null : unassignableReason(role, isSelf);
        return (
          <Checkbox
            key={role.id}
            label={role.unit ? `${role.name}, in ${role.unit.name} and below` : role.name}
            description={reason ?? privilegeNames(role.privileges)}
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
  if (isSelf) return "Nobody gives rights to themselves: ask another admin.";
  return lacking.length === 0
    ? null
    : `You cannot give it: you do not hold ${privilegeNames(lacking)} yourself.`;
}
