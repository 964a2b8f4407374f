"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { NameDialog } from "./name-dialog.tsx";
import { type UnitRow, useCreateUnit } from "./queries.ts";

/** Makes a unit below the one that is open. */
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
      <Button
        onClick={() => {
          creation.reset();
          dialog.open();
        }}
      >
        Create unit
      </Button>
      <NameDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Create a unit in ${parent?.name ?? ""}`}
        verb="Create unit"
        name=""
        isPending={creation.isPending}
        error={creation.error}
        onNamed={(name) =>
          creation.mutate(
            { name, parent_id: parentId },
            {
              onSuccess({ id }) {
                dialog.close();
                onCreated(id);
              },
            },
          )
        }
      >
        It has the policies of {parent?.name} until you set others.
      </NameDialog>
    </>
  );
}
