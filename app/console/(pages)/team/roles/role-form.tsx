"use client";

import { Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import type { ReactNode, SubmitEvent } from "react";

import type { RoleFields, Roles } from "#app/console/(pages)/team/role-queries.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";

import { PrivilegeChoice } from "./privilege-choice.tsx";
import classes from "./role-form.module.css";

const INDENT = "\u2003";
const EVERYWHERE = "";

/** @param current the role's privileges, which an admin who lacks them can keep but not add to other roles */
export function RoleForm({
  fields,
  onChange,
  options,
  current = [],
  verb,
  isPending,
  error,
  onSubmit,
  aside,
}: {
  fields: RoleFields;
  onChange: (fields: RoleFields) => void;
  options: Roles;
  current?: string[];
  verb: string;
  isPending: boolean;
  error: Error | null;
  onSubmit: () => void;
  aside?: ReactNode;
}) {
  const problems = {
    name: fieldError(error, "name", "Name"),
    unit: fieldError(error, "unit", "Unit"),
    privileges: fieldError(error, "privileges", "Privileges:"),
  };
  const canAssign = (privilege: string) =>
    current.includes(privilege) || hasPrivilege(options, privilege, fields.unit_id);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!isPending) onSubmit();
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate className={classes.form}>
      <Stack gap="lg">
        <TextInput
          name="name"
          label="Name"
          placeholder="Help desk"
          autoComplete="off"
          value={fields.name}
          onChange={(event) => onChange({ ...fields, name: event.currentTarget.value })}
          error={problems.name}
        />
        <NativeSelect
          name="unit"
          label="Scope"
          description="A role for one unit can include only mailbox privileges. They apply to the unit and its subunits."
          size="md"
          value={fields.unit_id === null ? EVERYWHERE : String(fields.unit_id)}
          data={[
            { value: EVERYWHERE, label: "Whole company" },
            ...options.units.map(({ id, name, depth }) => ({
              value: String(id),
              label: INDENT.repeat(depth) + name,
            })),
          ]}
          onChange={(event) => {
            const { value } = event.currentTarget;
            onChange({ ...fields, unit_id: value === EVERYWHERE ? null : Number(value) });
          }}
          error={problems.unit}
        />
        <PrivilegeChoice
          value={fields.privileges}
          onChange={(privileges) => onChange({ ...fields, privileges })}
          canAssign={canAssign}
          isForUnit={fields.unit_id !== null}
          error={problems.privileges}
        />
        {Object.values(problems).every((problem) => problem === null) && (
          <FormError error={error} />
        )}
        <Group gap="xs">
          <Button type="submit" aria-busy={isPending}>
            {verb}
          </Button>
          {aside}
        </Group>
      </Stack>
    </form>
  );
}

function hasPrivilege(
  { holds, holds_in }: Roles,
  privilege: string,
  unitId: number | null,
): boolean {
  if (holds.includes(privilege)) return true;
  if (unitId === null) return false;
  const inUnits = holds_in.find((held) => held.privilege === privilege);
  return inUnits?.unit_ids.includes(unitId) ?? false;
}
