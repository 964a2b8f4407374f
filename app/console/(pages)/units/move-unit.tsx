"use client";

import { Button, NativeSelect, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";

import { type UnitDetail, type UnitRow, useUpdateUnit } from "./queries.ts";
import { subtreeIds, visibleNodes } from "./tree-nodes.ts";

const INDENT = "\u2003";

type MoveUnitProps = { unit: UnitDetail; units: UnitRow[] };

export function MoveUnit(props: MoveUnitProps) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button variant="default" size="xs" onClick={dialog.open}>
        Move
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={`Move ${props.unit.name}`}>
        <MoveUnitForm {...props} onClose={dialog.close} />
      </Modal>
    </>
  );
}

function MoveUnitForm({ unit, units, onClose }: MoveUnitProps & { onClose: () => void }) {
  const update = useUpdateUnit(unit.id);
  const row = units.find(({ id }) => id === unit.id);
  const form = useForm({
    initialValues: { parentId: String(row?.parentId ?? "") },
    labels: { parentId: "Parent unit" },
    draft: `unit-parent-${unit.id}`,
    send: ({ parentId }) => update.mutateAsync({ parentId: Number(parentId) }),
    onDone: onClose,
  });

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Move unit
        </DialogActions>
      }
    >
      <Text c="dimmed">
        Its subunits and mailboxes move with it. The unit immediately inherits policies from its new
        parent, except those it sets itself, and roles limited to units above the new location apply
        to it.
      </Text>
      <NativeSelect
        {...form.field("parentId")}
        size="md"
        data={targetsFor(units, unit.id)}
        data-autofocus
      />
    </Form>
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
