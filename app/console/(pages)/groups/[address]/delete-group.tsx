"use client";

import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";

import { type GroupDetail, useDeleteGroup } from "#app/console/(pages)/groups/queries.ts";
import { useRestorableUntil } from "#app/console/(pages)/deleted/restorable-until.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { DangerZone } from "#app/console/ui/panel.tsx";

/** Shown to owners only. */
export function DeleteGroup({ group }: { group: GroupDetail }) {
  const router = useRouter();
  const deletion = useDeleteGroup(group.id);
  const restorable = useRestorableUntil();
  const [isOpen, dialog] = useDisclosure();

  return (
    <>
      <DangerZone title="Delete this group" actionLabel="Delete group" onAction={dialog.open}>
        Mail to this group will be rejected. Members keep their mailboxes and the mail they’ve
        received. {restorable}
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Delete ${group.id}?`}
        confirmLabel="Delete group"
        typeToConfirm={group.id}
        leavesPage
        onConfirm={async () => {
          await deletion.run();
          router.replace("/console/groups");
        }}
      >
        Mail to this group will be rejected. {restorable} Until then its address can’t be used for
        anything else.
      </ConfirmDialog>
    </>
  );
}
