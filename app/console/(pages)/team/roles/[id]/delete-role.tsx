"use client";

import { Stack, Text } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { pluralize, displayName } from "#app/console/(pages)/team/admin-text.ts";
import { privilegeNames } from "#app/console/(pages)/team/privilege-text.ts";
import { type RoleRow, useDeleteRole } from "#app/console/(pages)/team/role-queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { DangerZone } from "#app/console/ui/danger-zone.tsx";
import { toast } from "#app/console/ui/toast.ts";

const HOLDERS_MAX = 10;

export function DeleteRole({ role }: { role: RoleRow }) {
  const router = useRouter();
  const [isAsked, setIsAsked] = useState(false);
  const deletion = useDeleteRole(role.id);
  const { holders } = role;
  const people = pluralize(holders.length, "person", "people");
  return (
    <>
      <DangerZone title="Delete role" verb="Delete role" onAct={() => setIsAsked(true)}>
        {holders.length === 0
          ? "Nobody holds it: nobody loses anything."
          : `${people} lose what it gives at once.`}
      </DangerZone>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        title={`Delete the role ${role.name}`}
        verb="Delete role"
        {...(holders.length > 0 && { name: role.name })}
        isPending={deletion.isPending}
        error={deletion.error}
        onConfirm={() =>
          deletion.mutate(undefined, {
            onSuccess() {
              toast(`The role ${role.name} is deleted`);
              router.replace("/console/team/roles");
            },
          })
        }
      >
        <Stack gap="xs">
          <Text>
            {holders.length === 0
              ? "Nobody holds it."
              : `These lose ${privilegeNames(role.privileges)}, unless another role gives it: ${holderNames(holders)}.`}
          </Text>
          <Text c="dimmed">Invitations that were to give it give it no more.</Text>
        </Stack>
      </ConfirmDialog>
    </>
  );
}

function holderNames(holders: RoleRow["holders"]): string {
  const named = holders.slice(0, HOLDERS_MAX).map(displayName).join(", ");
  const more = holders.length - HOLDERS_MAX;
  return more > 0 ? `${named} and ${more} more` : named;
}
