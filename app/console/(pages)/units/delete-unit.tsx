"use client";

import { Anchor } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import Link from "next/link";

import { pluralize } from "#app/console/ui/format.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { DangerZone } from "#app/console/ui/panel.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";

import { type UnitDetail, type UnitRow, useDeleteUnit } from "./queries.ts";

const TITLE = "Delete this unit";

/** Only an empty unit can be deleted; its contents are never moved automatically. */
export function DeleteUnit({
  unit,
  row,
  units,
}: {
  unit: UnitDetail;
  row: UnitRow;
  units: UnitRow[];
}) {
  const deletion = useDeleteUnit(unit.id);
  const [isOpen, dialog] = useDisclosure();
  const hasUnits = units.some(({ parentId: parent }) => parent === unit.id);

  if (hasUnits) return <DangerZone title={TITLE}>Move or delete its subunits first.</DangerZone>;
  if (unit.mailboxes > 0)
    return (
      <DangerZone title={TITLE}>
        This unit has {pluralize(unit.mailboxes, "mailbox", "mailboxes")}.{" "}
        <Anchor component={Link} href={`/console/mailboxes?unit=${unit.id}`} underline="always">
          View mailboxes
        </Anchor>{" "}
        and move them to another unit first.
      </DangerZone>
    );
  const consequences = describeConsequences(unit);
  return (
    <>
      <DangerZone title={TITLE} actionLabel="Delete unit" onAction={dialog.open}>
        {consequences}
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Delete ${unit.name}?`}
        confirmLabel="Delete unit"
        typeToConfirm={unit.roles.length > 0 ? unit.name : undefined}
        onConfirm={async () => {
          await deletion.mutateAsync();
          replaceSearch(row.parentId === null ? "?" : `?unit=${row.parentId}`);
        }}
      >
        {consequences}
      </ConfirmDialog>
    </>
  );
}

function describeConsequences({ roles }: UnitDetail): string {
  const empty = "This unit has no mailboxes or subunits.";
  if (roles.length === 0) return empty;
  const names = roles.map(({ name }) => name).join(", ");
  return `${empty} ${roles.length === 1 ? "The role" : "The roles"} ${names} ${roles.length === 1 ? "is" : "are"} limited to it and will be deleted too.`;
}
