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
import { usePrivileges } from "#app/console/privileges.ts";
import { FormError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { toast } from "#app/console/ui/toast.tsx";
import { useAction } from "#app/console/ui/use-action.ts";

import classes from "./admin-roles.module.css";

export function AdminRoles({ admin }: { admin: AdminDetail }) {
  return (
    <Panel title="Roles">
      <Stack gap="lg">
        <OwnerAndRoles admin={admin} />
        {admin.direct_privileges.length > 0 && <DirectPrivileges admin={admin} />}
      </Stack>
    </Panel>
  );
}

function OwnerAndRoles({ admin }: { admin: AdminDetail }) {
  const { isOwner: mayMakeOwners } = usePrivileges();
  const roles = useQuery(rolesQuery);
  const before = admin.roles.map(({ id }) => id);
  const [roleIds, setRoleIds] = useState(before);
  const [isOwner, setIsOwner] = useState(admin.is_owner);
  const update = useUpdateAdmin(admin.id);
  const refresh = useInvalidateTeam();
  const areRolesChanged = new Set(roleIds).symmetricDifference(new Set(before)).size > 0;
  const isChanged = areRolesChanged || isOwner !== admin.is_owner;
  const isOutdated =
    update.error instanceof ConsoleError && update.error.reason === "resource_in_use";

  function save() {
    const change: AdminChange = {
      ...(areRolesChanged && { role_ids: roleIds, expected_role_ids: before }),
      ...(isOwner !== admin.is_owner && { is_owner: isOwner, expected_is_owner: admin.is_owner }),
    };
    // The page shows the error.
    update
      .mutateAsync(change)
      .then(() => toast(`Roles of ${displayName(admin)} saved`))
      .catch(() => {});
  }

  return (
    <Stack gap="md">
      {mayMakeOwners && (
        <Checkbox
          label="Owner"
          classNames={{ description: roleClasses.description }}
          description="Can do everything, including deleting domains and mailboxes and managing owners. Roles don’t add anything."
          checked={isOwner}
          onChange={(event) => setIsOwner(event.currentTarget.checked)}
        />
      )}
      <QueryView query={roles} noun="the roles" skeleton={null}>
        {({ data }) => (
          <RoleChoice
            roles={data}
            value={roleIds}
            onChange={setRoleIds}
            assigned={before}
            isSelf={admin.is_self}
          />
        )}
      </QueryView>
      <FormError error={update.error} />
      {isOutdated && (
        <Group>
          <Button
            variant="default"
            onClick={() => {
              update.reset();
              void refresh();
            }}
          >
            Load current roles
          </Button>
        </Group>
      )}
      {isChanged && (
        <Group gap="xs">
          <Button aria-busy={update.isPending} onClick={save}>
            Save roles
          </Button>
          <Button
            variant="default"
            onClick={() => {
              setRoleIds(before);
              setIsOwner(admin.is_owner);
              update.reset();
            }}
          >
            Discard changes
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Privileges from before roles existed. They can only be removed. */
function DirectPrivileges({ admin }: { admin: AdminDetail }) {
  const update = useUpdateAdmin(admin.id);
  const granted = admin.direct_privileges;
  const remove = useAction({
    call: (privilege: string) =>
      update.mutateAsync({ direct_privileges: granted.filter((other) => other !== privilege) }),
    success: (_, privilege) => `${privilegeText(privilege).name} removed`,
  });
  return (
    <div>
      <Text fw={600} mb={4}>
        Assigned without a role
      </Text>
      <Text size="sm" c="dimmed" mb="xs">
        If you remove one, you can only assign it again through a role.
      </Text>
      <ul className={classes.grants}>
        {granted.map((privilege) => (
          <li key={privilege} className={classes.grant}>
            <span>{privilegeText(privilege).name}</span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Remove ${privilegeText(privilege).name}`}
              aria-busy={remove.isPending && remove.variables === privilege}
              onClick={() => remove.start(privilege)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
