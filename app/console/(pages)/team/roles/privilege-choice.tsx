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
  /** Whether one holds it oneself where the role is for; what the role gives already stays possible. */
  mayGive: (privilege: string) => boolean;
  isForUnit: boolean;
};

/** What a role gives, in groups, each with what it allows. */
export function PrivilegeChoice({ error, ...choice }: Choice & { error: string | null }) {
  const problemId = useId();
  return (
    <fieldset className={classes.choice} aria-describedby={error ? problemId : undefined}>
      <legend className={classes.legend}>Gives</legend>
      {PRIVILEGE_GROUPS.map(({ name, privileges }) => (
        <fieldset key={name} className={classes.group}>
          <legend className={classes.name}>{name}</legend>
          {Object.entries(privileges).map(([privilege, words]) => (
            <PrivilegeCheckbox key={privilege} privilege={privilege} words={words} {...choice} />
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
  words,
  value,
  onChange,
  mayGive,
  isForUnit,
}: Choice & { privilege: string; words: PrivilegeText }) {
  const isChosen = value.includes(privilege);
  const reason = reasonAgainst();

  function reasonAgainst(): string | null {
    if (isForUnit && !UNIT_PRIVILEGES.includes(privilege))
      return "Concerns the whole company: a role for one unit cannot give it.";
    return mayGive(privilege) ? null : "You do not hold it yourself, so you cannot give it.";
  }

  return (
    <Checkbox
      label={words.name}
      description={reason ?? words.sentence}
      classNames={{ description: classes.sentence }}
      // What should not be in it can always be taken out.
      disabled={reason !== null && !isChosen}
      checked={isChosen}
      onChange={() =>
        onChange(ALL_PRIVILEGES.filter((each) => value.includes(each) !== (each === privilege)))
      }
    />
  );
}
