"use client";

import { Group, NativeSelect, TextInput } from "@mantine/core";
import type { ReactNode } from "react";

import type { RoleFields, Roles } from "#app/console/(pages)/team/role-queries.ts";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { PrivilegeChoice } from "./privilege-choice.tsx";
import classes from "./role-form.module.css";

const INDENT = "\u2003";
const EVERYWHERE = "";

export const useRoleForm = (options: {
  initialValues: RoleFields;
  draft: string;
  send: (fields: RoleFields) => Promise<unknown>;
  onDone: (fields: RoleFields) => void;
  leavesPage?: boolean;
}) =>
  useForm({
    ...options,
    labels: { name: "Name", unitId: "Unit", privileges: "Privileges:" },
    checks: { name: required },
    onDone: (_, fields) => options.onDone(fields),
  });

/** @param current the role's privileges, which an admin who lacks them can keep but not add to other roles */
export function RoleForm({
  form,
  options,
  current = [],
  verb,
  aside,
}: {
  form: ReturnType<typeof useRoleForm>;
  options: Roles;
  current?: string[];
  verb: string;
  aside?: ReactNode;
}) {
  const { unitId, privileges } = form.values;
  const canAssign = (privilege: string) =>
    current.includes(privilege) || hasPrivilege(options, privilege, unitId);

  return (
    <div className={classes.form}>
      <Form
        form={form}
        gap="lg"
        actions={
          <Group gap="xs">
            <SubmitButton form={form}>{verb}</SubmitButton>
            {aside}
          </Group>
        }
      >
        <TextInput {...form.field("name")} placeholder="Help desk" autoComplete="off" />
        <NativeSelect
          name="unitId"
          label="Scope"
          description="A role for one unit can include only mailbox privileges. They apply to the unit and its subunits."
          size="md"
          value={unitId === null ? EVERYWHERE : String(unitId)}
          data={[
            { value: EVERYWHERE, label: "Whole company" },
            ...options.units.map(({ id, name, depth }) => ({
              value: String(id),
              label: INDENT.repeat(depth) + name,
            })),
          ]}
          onChange={(event) => {
            const { value } = event.currentTarget;
            form.set("unitId", value === EVERYWHERE ? null : Number(value));
          }}
          error={form.errors["unitId"]}
        />
        <PrivilegeChoice
          value={privileges}
          onChange={(chosen) => form.set("privileges", chosen)}
          canAssign={canAssign}
          isForUnit={unitId !== null}
          error={form.errors["privileges"] ?? null}
        />
      </Form>
    </div>
  );
}

function hasPrivilege(
  { holds, holdsIn }: Roles,
  privilege: string,
  unitId: number | null,
): boolean {
  if (holds.some((held) => held === privilege)) return true;
  if (unitId === null) return false;
  const inUnits = holdsIn.find((held) => held.privilege === privilege);
  return inUnits?.unitIds.includes(unitId) ?? false;
}
