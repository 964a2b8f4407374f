"use client";

import { Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { SubmitEvent } from "react";

import { FormProblem, problemOfReason } from "#app/console/ui/form-problem.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

import { type UnitDetail, type UnitRow, useUpdateUnit } from "./queries.ts";
import { branchOf, visibleNodes } from "./tree-nodes.ts";

const INDENT = "\u2003";

/** Puts a unit with all below it under another one. */
export function MoveUnit({ unit, units }: { unit: UnitDetail; units: UnitRow[] }) {
  const update = useUpdateUnit(unit.id);
  const [isOpen, dialog] = useDisclosure();
  const row = units.find(({ id }) => id === unit.id);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (update.isPending) return;
    const parent = Number(textOf(new FormData(event.currentTarget), "parent"));
    update.mutate({ parent_id: parent }, { onSuccess: dialog.close });
  }

  const problem =
    problemOfReason(update.error, "already_exists") ?? problemOfReason(update.error, "invalid");
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
              All units and mailboxes below it come along. Policies that it does not set itself are
              those of its new place at once, and roles limited to units above reach it there.
            </Text>
            <NativeSelect
              name="parent"
              label="Below"
              size="md"
              data={targetsFor(units, unit.id)}
              defaultValue={String(row?.parent_id ?? "")}
              error={problem}
              data-autofocus
            />
            {!problem && <FormProblem error={update.error} />}
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

/** All units but itself and those below it, as a tree. */
function targetsFor(units: UnitRow[], id: number) {
  const branch = branchOf(units, id);
  return visibleNodes(units, () => true, "")
    .filter(({ unit }) => !branch.has(unit.id))
    .map(({ unit, level }) => ({
      value: String(unit.id),
      label: INDENT.repeat(level - 1) + unit.name,
    }));
}
