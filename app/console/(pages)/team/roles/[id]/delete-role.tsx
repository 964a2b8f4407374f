"use client";

import { Stack, Text } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { pluralize } from "#app/console/ui/format.ts";
import { displayName } from "#app/console/(pages)/team/admin-text.ts";
import { privilegeLabels } from "#server/universal/privileges.ts";
import { type RoleRow, useDeleteRole } from "#app/console/(pages)/team/role-queries.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { DangerZone } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/actions.tsx";

const HOLDERS_MAX = 10;

export function DeleteRole({ role }: { role: RoleRow }) {
  const router = useRouter();
  const [isConfirming, setIsConfirming] = useState(false);
  const deletion = useDeleteRole(role.id);
  const { holders } = role;
  const admins = pluralize(holders.length, "admin");
  return (
    <>
      <DangerZone
        title="Delete this role"
        actionLabel="Delete role"
        onAction={() => setIsConfirming(true)}
      >
        {holders.length === 0 ? "No one has this role." : `${admins} will lose its privileges.`}
      </DangerZone>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setIsConfirming(false)}
        title={`Delete role ${role.name}?`}
        confirmLabel="Delete role"
        typeToConfirm={holders.length > 0 ? role.name : undefined}
        leavesPage
        onConfirm={async () => {
          await deletion.mutateAsync();
          toast(`Role ${role.name} deleted`);
          router.replace("/console/team/roles");
        }}
      >
        <Stack gap="xs">
          <Text>
            {holders.length === 0
              ? "No one has this role."
              : `These admins will lose ${privilegeLabels(role.privileges)}, unless another role gives it to them: ${holderNames(holders)}.`}
          </Text>
          <Text c="dimmed">Pending invitations will no longer include this role.</Text>
        </Stack>
      </ConfirmDialog>
    </>
  );
}

function holderNames(holders: RoleRow["holders"]): string {
  const names = holders.slice(0, HOLDERS_MAX).map(displayName).join(", ");
  const more = holders.length - HOLDERS_MAX;
  return more > 0 ? `${names} and ${more} more` : names;
}
