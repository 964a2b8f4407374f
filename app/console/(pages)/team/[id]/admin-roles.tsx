"use client";

import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { displayName } from "#app/console/(pages)/team/admin-text.ts";
import { privilegeText } from "#app/console/(pages)/team/privilege-text.ts";
import {
  type AdminChange,
  type AdminDetail,
  useInvalidateTeam,
  useUpdateAdmin,
} from "#app/console/(pages)/team/queries.ts";
import roleClasses from "#app/console/(pages)/team/role-choice.module.css";
import { RoleChoice } from "#app/console/(pages)/team/role-choice.tsx";
import { rolesQuery } from "#app/console/(pages)/team/role-queries.ts";
import { ConsoleError } from "#app/console/console-client.ts";
import { useRights } from "#app/console/rights.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { toast } from "#app/console/ui/toast.ts";

import classes from "./admin-roles.module.css";

/**
 * What gives this person their rights, to be changed: owner or not, roles, and what was granted without a
 * role.
 */
export function AdminRoles({ person }: { person: AdminDetail }) {
  return (
    <Panel title="Roles and grants">
      <Stack gap="lg">
        <OwnerAndRoles person={person} />
        {person.direct_privileges.length > 0 && <DirectGrants person={person} />}
      </Stack>
    </Panel>
  );
}

function OwnerAndRoles({ person }: { person: AdminDetail }) {
  const { isOwner: mayMakeOwners } = useRights();
  const roles = useQuery(rolesQuery);
  const before = person.roles.map(({ id }) => id);
  const [roleIds, setRoleIds] = useState(before);
  const [isOwner, setIsOwner] = useState(person.is_owner);
  const update = useUpdateAdmin(person.id);
  const refresh = useInvalidateTeam();
  const areOthers = new Set(roleIds).symmetricDifference(new Set(before)).size > 0;
  const isChanged = areOthers || isOwner !== person.is_owner;
  const isOutdated =
    update.error instanceof ConsoleError && update.error.reason === "resource_in_use";

  function save() {
    const change: AdminChange = {
      ...(areOthers && { role_ids: roleIds, expected_role_ids: before }),
      ...(isOwner !== person.is_owner && { is_owner: isOwner }),
    };
    update.mutate(change, {
      onSuccess: () => toast(`The rights of ${displayName(person)} are changed`),
    });
  }

  return (
    <Stack gap="md">
      {mayMakeOwners && (
        <Checkbox
          label="Owner"
          classNames={{ description: roleClasses.description }}
          description="May do everything, also delete domains and mailboxes, and decide who is an owner. Roles add nothing to it."
          checked={isOwner}
          onChange={(event) => setIsOwner(event.currentTarget.checked)}
        />
      )}
      <QueryView query={roles} what="the roles" skeleton={null}>
        {({ data }) => (
          <RoleChoice
            roles={data}
            value={roleIds}
            onChange={setRoleIds}
            held={before}
            isSelf={person.is_self}
          />
        )}
      </QueryView>
      <FormProblem error={update.error} />
      {isOutdated && (
        <Group>
          <Button
            variant="default"
            onClick={() => {
              update.reset();
              void refresh();
            }}
          >
            Show what they are now
          </Button>
        </Group>
      )}
      {isChanged && (
        <Group gap="xs">
          <Button
            data-loading={update.isPending || undefined}
            onClick={() => !update.isPending && save()}
          >
            Save rights
          </Button>
          <Button
            variant="default"
            onClick={() => {
              setRoleIds(before);
              setIsOwner(person.is_owner);
              update.reset();
            }}
          >
            Undo
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Grants of former times: they can be taken away, new ones come with roles. */
function DirectGrants({ person }: { person: AdminDetail }) {
  const update = useUpdateAdmin(person.id);
  const granted = person.direct_privileges;
  return (
    <div>
      <Text fw={600} mb={4}>
        Granted without a role
      </Text>
      <Text size="sm" c="dimmed" mb="xs">
        What is taken away here can be given again through a role only.
      </Text>
      <ul className={classes.grants}>
        {granted.map((privilege) => (
          <li key={privilege} className={classes.grant}>
            <span>{privilegeText(privilege).name}</span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Take away ${privilegeText(privilege).name}`}
              onClick={() =>
                update.mutate(
                  { direct_privileges: granted.filter((each) => each !== privilege) },
                  { onSuccess: () => toast(`${privilegeText(privilege).name} is taken away`) },
                )
              }
            >
              Take away
            </Button>
          </li>
        ))}
      </ul>
      <FormProblem error={update.error} />
    </div>
  );
}
