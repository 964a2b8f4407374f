"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { UnitNameDialog } from "./unit-name-dialog.tsx";
import { type UnitRow, useCreateUnit } from "./queries.ts";

export function CreateUnit({
  units,
  parentId,
  onCreated,
}: {
  units: UnitRow[];
  parentId: number;
  onCreated: (id: number) => void;
}) {
  const creation = useCreateUnit();
  const [isOpen, dialog] = useDisclosure();
  const parent = units.find(({ id }) => id === parentId);
  return (
    <>
      <Button onClick={dialog.open}>Create unit</Button>
      <UnitNameDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Create unit in ${parent?.name ?? ""}`}
        verb="Create unit"
        name=""
        draft={`new-unit-${parentId}`}
        send={(name) => creation.mutateAsync({ name, parentId })}
        onDone={({ id }) => onCreated(id)}
      >
        It inherits policies from {parent?.name} until you set its own.
      </UnitNameDialog>
    </>
  );
}
