"use client";

import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";

import { privilegeLabels } from "#server/universal/privileges.ts";
import {
  roleFields,
  type RoleFields,
  type RoleRow,
  type Roles,
  useUpdateRole,
} from "#app/console/(pages)/team/role-queries.ts";
import { RoleForm, useRoleForm } from "#app/console/(pages)/team/roles/role-form.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import classes from "./edit-role.module.css";

/**
 * The form of a role. If another admin changes the role in the meantime, it keeps the user's edits, shows what
 * changed and lets them choose a version.
 *
 * @param onReset remounts the form with the current role
 */
export function EditRole({
  role,
  roles,
  onReset,
}: {
  role: RoleRow;
  roles: Roles;
  onReset: () => void;
}) {
  const [expected, setExpected] = useState(() => roleFields(role));
  const update = useUpdateRole(role.id);
  const [initialValues] = useState(expected);
  const form = useRoleForm({
    initialValues,
    draft: `role-${role.id}`,
    send: (fields) => update.mutateAsync({ ...fields, expected }),
    onDone({ name }) {
      toast(`Role ${name} saved`);
      onReset();
    },
  });
  const latest = roleFields(role);
  const isOutdated = !update.isPending && !update.isSuccess && !isSame(expected, latest);
  return (
    <Panel title="Settings">
      {isOutdated && (
        <div role="alert" className={classes.meanwhile}>
          <Text fw={600}>Another admin just changed this role</Text>
          <Text>{differences(expected, latest, roles).join(" ")}</Text>
          <Group gap="xs" mt="xs">
            <Button
              variant="default"
              onClick={() => {
                form.discard();
                onReset();
              }}
            >
              Load their changes
            </Button>
            <Button
              variant="default"
              onClick={() => {
                form.clearError();
                setExpected(latest);
              }}
            >
              Keep my changes
            </Button>
          </Group>
        </div>
      )}
      <RoleForm
        form={isOutdated ? { ...form, error: null } : form}
        options={roles}
        current={expected.unitId === form.values.unitId ? expected.privileges : []}
        verb="Save role"
      />
    </Panel>
  );
}

const isSame = (one: RoleFields, other: RoleFields) =>
  one.name === other.name &&
  one.unitId === other.unitId &&
  new Set(one.privileges).symmetricDifference(new Set(other.privileges)).size === 0;

/** The changes between two versions of a role, one sentence each. */
function differences(before: RoleFields, after: RoleFields, { units }: Roles): string[] {
  const added = after.privileges.filter((privilege) => !before.privileges.includes(privilege));
  const removed = before.privileges.filter((privilege) => !after.privileges.includes(privilege));
  const unit = units.find(({ id }) => id === after.unitId)?.name;
  return [
    ...(before.name !== after.name ? [`New name: ${after.name}.`] : []),
    ...(before.unitId !== after.unitId
      ? [unit ? `New scope: ${unit}.` : "New scope: whole company."]
      : []),
    ...(added.length > 0 ? [`Added: ${privilegeLabels(added)}.`] : []),
    ...(removed.length > 0 ? [`Removed: ${privilegeLabels(removed)}.`] : []),
  ];
}
