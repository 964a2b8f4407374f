"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { UnitNameDialog } from "./unit-name-dialog.tsx";
import { type UnitDetail, useUpdateUnit } from "./queries.ts";

export function RenameUnit({ unit }: { unit: UnitDetail }) {
  const update = useUpdateUnit(unit.id);
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button
        variant="default"
        size="xs"
        onClick={() => {
          update.reset();
          dialog.open();
        }}
      >
        Rename
      </Button>
      <UnitNameDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Rename ${unit.name}`}
        verb="Rename unit"
        name={unit.name}
        isPending={update.isPending}
        error={update.error}
        onNamed={(name) => update.mutate({ name }, { onSuccess: dialog.close })}
      />
    </>
  );
}
