"use client";

import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";

import { privilegeNames } from "#app/console/(pages)/team/privilege-text.ts";
import {
  roleFields,
  type RoleFields,
  type RoleRow,
  type Roles,
  useUpdateRole,
} from "#app/console/(pages)/team/role-queries.ts";
import { RoleForm } from "#app/console/(pages)/team/roles/role-form.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/toast.ts";

import classes from "./edit-role.module.css";

/**
 * The form of a role. What is typed stays when somebody else changes the role meanwhile: it says what they
 * changed, and lets one keep the own version or take theirs.
 *
 * @param onAnew begins again with the role as it is
 */
export function EditRole({
  role,
  roles,
  onAnew,
}: {
  role: RoleRow;
  roles: Roles;
  onAnew: () => void;
}) {
  const [expected, setExpected] = useState(() => roleFields(role));
  const [fields, setFields] = useState(expected);
  const update = useUpdateRole(role.id);
  const now = roleFields(role);
  const isOutdated = !update.isPending && !update.isSuccess && !isSame(expected, now);
  return (
    <Panel title="What it gives">
      {isOutdated && (
        <div role="alert" className={classes.meanwhile}>
          <Text fw={600}>Somebody else has just changed this role</Text>
          <Text>{differences(expected, now, roles).join(" ")}</Text>
          <Group gap="xs" mt="xs">
            <Button variant="default" onClick={onAnew}>
              Take theirs
            </Button>
            <Button
              variant="default"
              onClick={() => {
                update.reset();
                setExpected(now);
              }}
            >
              Keep mine
            </Button>
          </Group>
        </div>
      )}
      <RoleForm
        fields={fields}
        onChange={setFields}
        options={roles}
        given={expected.unit_id === fields.unit_id ? expected.privileges : []}
        verb="Save role"
        isPending={update.isPending}
        error={isOutdated ? null : update.error}
        onSubmit={() =>
          update.mutate(
            { ...fields, expected },
            {
              onSuccess() {
                toast(`The role ${fields.name.trim()} is changed`);
                onAnew();
              },
            },
          )
        }
      />
    </Panel>
  );
}

const isSame = (one: RoleFields, other: RoleFields) =>
  one.name === other.name &&
  one.unit_id === other.unit_id &&
  new Set(one.privileges).symmetricDifference(new Set(other.privileges)).size === 0;

/** What became of the role between two readings, in sentences. */
function differences(before: RoleFields, after: RoleFields, { units }: Roles): string[] {
  const added = after.privileges.filter((each) => !before.privileges.includes(each));
  const removed = before.privileges.filter((each) => !after.privileges.includes(each));
  const place = units.find(({ id }) => id === after.unit_id)?.name;
  return [
    ...(before.name !== after.name ? [`It is called ${after.name} now.`] : []),
    ...(before.unit_id !== after.unit_id
      ? [place ? `It is for the unit ${place} now.` : "It is for the whole company now."]
      : []),
    ...(added.length > 0 ? [`Added: ${privilegeNames(added)}.`] : []),
    ...(removed.length > 0 ? [`Taken out: ${privilegeNames(removed)}.`] : []),
  ];
}
