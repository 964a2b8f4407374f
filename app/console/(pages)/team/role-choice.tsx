import { Checkbox, Text } from "@mantine/core";
import { useId } from "react";

import { privilegeLabels } from "#server/universal/privileges.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { QueryView } from "#app/console/ui/query-view.tsx";

import { TEAM_SETTINGS, type RoleRow } from "./queries.ts";
import classes from "./team.module.css";

/**
 * Checkboxes to assign roles, the company's and the ready-made ones. Roles that the signed-in admin can't assign are disabled
 * with the reason, unless they are already assigned: those can be removed.
 *
 * @param assigned role IDs
 * @param isSelf whether this is the signed-in admin, who can't assign roles to themselves
 */
export function RoleChoice({
  value,
  onChange,
  assigned = [],
  isSelf = false,
  error = null,
}: {
  value: string[];
  onChange: (ids: string[]) => void;
  assigned?: string[];
  isSelf?: boolean;
  error?: string | null;
}) {
  const query = useRead("roles.list", {}, TEAM_SETTINGS);
  const problemId = useId();

  function choiceOf(role: RoleRow) {
    // Another admin may just have created the ready-made role that is chosen here.
    const isThis = (chosen: string) => chosen === role.id || chosen === role.name;
    const reason = assigned.includes(role.id) ? null : unassignableReason(role, isSelf);
    return (
      <Checkbox
        key={role.name}
        label={role.unit ? `${role.name}, in ${role.unit.name} and its subunits` : role.name}
        description={reason ?? privilegeLabels(role.privileges)}
        classNames={{ description: classes.description }}
        disabled={reason !== null}
        checked={value.some(isThis)}
        onChange={(event) =>
          onChange(
            event.currentTarget.checked ? [...value, role.id] : value.filter((id) => !isThis(id)),
          )
        }
      />
    );
  }

  return (
    <QueryView query={query} noun="the roles" skeleton={null}>
      {({ data, readyMade }) => (
        <fieldset className={classes.choice} aria-describedby={error ? problemId : undefined}>
          <legend className={classes.legend}>Roles</legend>
          {data.map(choiceOf)}
          {readyMade.length > 0 && (
            <Text size="sm" c="dimmed">
              Ready-made. Posthouse creates the role when you first assign it; you can edit it
              afterwards.
            </Text>
          )}
          {readyMade.map(choiceOf)}
          {error && (
            <Text id={problemId} role="alert" size="sm" c="var(--mantine-color-error)">
              {error}
            </Text>
          )}
        </fieldset>
      )}
    </QueryView>
  );
}

function unassignableReason({ lacking }: RoleRow, isSelf: boolean): string | null {
  if (isSelf) return "You can’t assign roles to yourself. Ask another admin.";
  return lacking.length === 0
    ? null
    : `You can’t assign this role because you don’t have ${privilegeLabels(lacking)}.`;
}
