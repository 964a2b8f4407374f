"use client";

import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { displayName } from "#app/console/(pages)/team/admin-text.ts";
import { privilegeLabel } from "#server/universal/privileges.ts";
import {
  type AdminDetail,
  useInvalidateTeam,
  useUpdateAdmin,
} from "#app/console/(pages)/team/queries.ts";
import roleClasses from "#app/console/(pages)/team/role-choice.module.css";
import { RoleChoice } from "#app/console/(pages)/team/role-choice.tsx";
import { rolesQuery } from "#app/console/(pages)/team/role-queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { FormError } from "#app/console/ui/errors.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { toast, useAction } from "#app/console/ui/actions.tsx";

import classes from "./admin-roles.module.css";

export function AdminRoles({ admin }: { admin: AdminDetail }) {
  return (
    <Panel title="Roles">
      <Stack gap="lg">
        <OwnerAndRoles admin={admin} />
        {admin.directPrivileges.length > 0 && <DirectPrivileges admin={admin} />}
      </Stack>
    </Panel>
  );
}

const UNCHANGED = { added: new Set<string>(), removed: new Set<string>(), owner: undefined };

type Changes = Omit<typeof UNCHANGED, "owner"> & { owner: boolean | undefined };

/** Keeps only what the user changed, so that concurrent changes by others show up and aren't undone. */
function OwnerAndRoles({ admin }: { admin: AdminDetail }) {
  const { isOwner: mayMakeOwners } = usePrivileges();
  const roles = useQuery(rolesQuery);
  const [changes, setChanges] = useState<Changes>(UNCHANGED);
  const refresh = useInvalidateTeam();
  const update = useUpdateAdmin(admin.id);
  const before = new Set(admin.roles.map(({ id }) => id));
  const after = before.union(changes.added).difference(changes.removed);
  const isOwner = changes.owner ?? admin.isOwner;
  const areRolesChanged = before.symmetricDifference(after).size > 0;
  const isChanged = areRolesChanged || isOwner !== admin.isOwner;

  async function save() {
    try {
      await update.mutateAsync({
        ...(areRolesChanged && { roleIds: [...after], expectedRoleIds: [...before] }),
        ...(isOwner !== admin.isOwner && { isOwner, expectedIsOwner: admin.isOwner }),
      });
      setChanges((now) => (now === changes ? UNCHANGED : now));
      toast(`Roles of ${displayName(admin)} saved`);
    } catch {
      // The page shows the error. The roles may have changed.
      await refresh();
    }
  }

  return (
    <Stack gap="md">
      {mayMakeOwners && (
        <Checkbox
          label="Owner"
          classNames={{ description: roleClasses.description }}
          description="Can do everything, including deleting domains and mailboxes and managing owners. Roles don’t add anything."
          checked={isOwner}
          onChange={(event) => setChanges({ ...changes, owner: event.currentTarget.checked })}
        />
      )}
      <QueryView query={roles} noun="the roles" skeleton={null}>
        {({ data }) => (
          <RoleChoice
            roles={data}
            value={[...after]}
            onChange={(ids) => {
              const chosen = new Set(ids);
              const [added, removed] = [chosen.difference(before), before.difference(chosen)];
              setChanges({ ...changes, added, removed });
            }}
            assigned={[...before]}
            isSelf={admin.isSelf}
          />
        )}
      </QueryView>
      <FormError error={update.error} />
      {isChanged && (
        <Group gap="xs">
          <Button aria-busy={update.isPending} onClick={() => void save()}>
            Save roles
          </Button>
          <Button
            variant="default"
            onClick={() => {
              setChanges(UNCHANGED);
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
  const granted = admin.directPrivileges;
  const remove = useAction({
    call: (privilege: string) =>
      update.mutateAsync({ directPrivileges: granted.filter((other) => other !== privilege) }),
    success: (_, privilege) => `${privilegeLabel(privilege)} removed`,
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
            <span>{privilegeLabel(privilege)}</span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Remove ${privilegeLabel(privilege)}`}
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
