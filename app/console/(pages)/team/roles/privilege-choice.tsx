import { Checkbox, Text } from "@mantine/core";
import { useId } from "react";

import {
  PRIVILEGE_GROUPS,
  PRIVILEGES,
  privilegeText,
  UNIT_PRIVILEGES,
} from "#server/universal/privileges.ts";

import classes from "./privilege-choice.module.css";

type Choice = {
  value: string[];
  onChange: (value: string[]) => void;
  /** Whether the signed-in admin has the privilege in the role's unit, or the role already gives it. */
  canAssign: (privilege: string) => boolean;
  isForUnit: boolean;
};

export function PrivilegeChoice({ error, ...choice }: Choice & { error: string | null }) {
  const problemId = useId();
  return (
    <fieldset className={classes.choice} aria-describedby={error ? problemId : undefined}>
      <legend className={classes.legend}>Privileges</legend>
      {PRIVILEGE_GROUPS.map(({ name, privileges }) => (
        <fieldset key={name} className={classes.group}>
          <legend className={classes.name}>{name}</legend>
          {privileges.map((privilege) => (
            <PrivilegeCheckbox key={privilege} privilege={privilege} {...choice} />
          ))}
        </fieldset>
      ))}
      {error && (
        <Text id={problemId} role="alert" size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
    </fieldset>
  );
}

function PrivilegeCheckbox({
  privilege,
  value,
  onChange,
  canAssign,
  isForUnit,
}: Choice & { privilege: (typeof PRIVILEGES)[number] }) {
  const { name, description } = privilegeText(privilege);
  const isChosen = value.includes(privilege);
  const reason = unassignableReason();

  function unassignableReason(): string | null {
    if (isForUnit && !UNIT_PRIVILEGES.some((each) => each === privilege))
      return "Applies to the whole company, so a role for one unit can’t include it.";
    return canAssign(privilege) ? null : "You don’t have this privilege, so you can’t assign it.";
  }

  return (
    <Checkbox
      label={name}
      description={reason ?? description}
      classNames={{ description: classes.description }}
      // Privileges can always be removed from the role.
      disabled={reason !== null && !isChosen}
      checked={isChosen}
      onChange={() =>
        onChange(PRIVILEGES.filter((other) => value.includes(other) !== (other === privilege)))
      }
    />
  );
}
