import { Checkbox, Text } from "@mantine/core";
import { useId } from "react";

import {
  PRIVILEGE_GROUPS,
  ALL_PRIVILEGES,
  type PrivilegeText,
  UNIT_PRIVILEGES,
} from "#app/console/(pages)/team/privilege-text.ts";

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
          {Object.entries(privileges).map(([privilege, text]) => (
            <PrivilegeCheckbox key={privilege} privilege={privilege} text={text} {...choice} />
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
  text,
  value,
  onChange,
  canAssign,
  isForUnit,
}: Choice & { privilege: string; text: PrivilegeText }) {
  const isChosen = value.includes(privilege);
  const reason = unassignableReason();

  function unassignableReason(): string | null {
    if (isForUnit && !UNIT_PRIVILEGES.includes(privilege))
      return "Applies to the whole company, so a role for one unit can’t include it.";
    return canAssign(privilege) ? null : "You don’t have this privilege, so you can’t assign it.";
  }

  return (
    <Checkbox
      label={text.name}
      description={reason ?? text.description}
      classNames={{ description: classes.description }}
      // Privileges can always be removed from the role.
      disabled={reason !== null && !isChosen}
      checked={isChosen}
      onChange={() =>
        onChange(ALL_PRIVILEGES.filter((other) => value.includes(other) !== (other === privilege)))
      }
    />
  );
}
