"use client";

import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { SubmitEvent } from "react";

import { FormError, errorForReason } from "#app/console/ui/form-error.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { formText } from "#app/console/ui/form-text.ts";

import { type UnitDetail, type UnitRow, useUpdateUnit } from "./queries.ts";
import { subtreeIds, visibleNodes } from "./tree-nodes.ts";

const INDENT = "\u2003";

export function MoveUnit({ unit, units }: { unit: UnitDetail; units: UnitRow[] }) {
  const update = useUpdateUnit(unit.id);
  const [isOpen, dialog] = useDisclosure();
  const row = units.find(({ id }) => id === unit.id);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (update.isPending) return;
    const parent = Number(formText(new FormData(event.currentTarget), "parent"));
    update.mutate({ parent_id: parent }, { onSuccess: dialog.close });
  }

  const problem =
    errorForReason(update.error, "already_exists") ?? errorForReason(update.error, "invalid");
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
        Move
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={`Move ${unit.name}`}>
        <form onSubmit={handleSubmit} method="post" noValidate>
          <Stack gap="md">
            <Text c="dimmed">
              Its subunits and mailboxes move with it. The unit immediately inherits policies from
              its new parent, except those it sets itself, and roles limited to units above the new
              location apply to it.
            </Text>
            <NativeSelect
              name="parent"
              label="Parent unit"
              size="md"
              data={targetsFor(units, unit.id)}
              defaultValue={String(row?.parent_id ?? "")}
              error={problem}
              data-autofocus
            />
            {!problem && <FormError error={update.error} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={dialog.close}>
                Cancel
              </Button>
              <Button type="submit" aria-busy={update.isPending}>
                Move unit
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}

/** The tree without the unit and its subunits. */
function targetsFor(units: UnitRow[], id: number) {
  const branch = subtreeIds(units, id);
  return visibleNodes(units, () => true, "")
    .filter(({ unit }) => !branch.has(unit.id))
    .map(({ unit, level }) => ({
      value: String(unit.id),
      label: INDENT.repeat(level - 1) + unit.name,
    }));
}
