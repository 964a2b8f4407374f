"use client";

import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";

import { type GroupDetail, useDeleteGroup } from "#app/console/(pages)/groups/queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { DangerZone } from "#app/console/ui/danger-zone.tsx";

/** Shown to owners only. */
export function DeleteGroup({ group }: { group: GroupDetail }) {
  const router = useRouter();
  const deletion = useDeleteGroup(group.id);
  const [isOpen, dialog] = useDisclosure();

  return (
    <>
      <DangerZone title="Delete this group" actionLabel="Delete group" onAction={dialog.open}>
        Mail to this group will be rejected. Members keep their mailboxes and the mail they’ve
        received. This can’t be undone.
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Delete ${group.id}?`}
        confirmLabel="Delete group"
        typeToConfirm={group.id}
        leavesPage
        onConfirm={async () => {
          await deletion.mutateAsync();
          router.replace("/console/groups");
        }}
      >
        This deletes the group’s member list and settings. Mail to its address will be rejected.
      </ConfirmDialog>
    </>
  );
}
