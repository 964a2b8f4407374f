"use client";

import { Anchor, Button, Group, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { pluralize, formatCount } from "#app/console/ui/format.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";

import { DeleteUnit } from "./delete-unit.tsx";
import { MoveUnit } from "./move-unit.tsx";
import { type UnitDetail, unitQuery, type UnitRow, type Units, useUpdateUnit } from "./queries.ts";
import { pathTo } from "./tree-nodes.ts";
import { UnitNameDialog } from "./unit-name-dialog.tsx";
import { UnitPolicies } from "./unit-policies.tsx";

export function UnitDetails({ id, units }: { id: number; units: Units }) {
  const unit = useQuery(unitQuery(id));
  const row = units.data.find((one) => one.id === id);
  return (
    <QueryView query={unit} noun="this unit" skeleton={<UnitSkeleton />}>
      {(unit) => (
        <Stack gap="md">
          <UnitFacts unit={unit} row={row} units={units} />
          <UnitPolicies key={unit.id} unit={unit} mayChange={units.mayChange} />
          {units.mayChange && !unit.isRoot && row && (
            <DeleteUnit unit={unit} row={row} units={units.data} />
          )}
        </Stack>
      )}
    </QueryView>
  );
}

function UnitFacts({
  unit,
  row,
  units,
}: {
  unit: UnitDetail;
  row: UnitRow | undefined;
  units: Units;
}) {
  const nameOf = (id: number) => units.data.find((one) => one.id === id)?.name ?? "";
  const below = row?.mailboxesBelow ?? unit.mailboxes;
  const path = pathTo(units.data, unit.id).slice(0, -1).map(nameOf);
  return (
    <Panel
      title={unit.name}
      aside={
        units.mayChange && (
          <Group gap="xs">
            <RenameUnit unit={unit} />
            {!unit.isRoot && <MoveUnit unit={unit} units={units.data} />}
          </Group>
        )
      }
    >
      <DescriptionList>
        {path.length > 0 && <DescriptionItem label="Parent">{path.join(" / ")}</DescriptionItem>}
        <DescriptionItem label="Mailboxes">
          <Anchor component={Link} href={`/console/mailboxes?unit=${unit.id}`} underline="always">
            {pluralize(below, "mailbox", "mailboxes")}
          </Anchor>
          {below !== unit.mailboxes && `, ${formatCount(unit.mailboxes)} directly in this unit`}
        </DescriptionItem>
        <DescriptionItem label="Managed by">
          {unit.roles.length === 0
            ? "No roles limited to this unit"
            : unit.roles.map((role) => describeRole(role, unit.id, nameOf)).join("; ")}
        </DescriptionItem>
        <DescriptionItem label="Created">
          <ExactTime at={unit.createdAt} />
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}

function describeRole(
  { name, unitId, admins }: UnitDetail["roles"][number],
  here: number,
  nameOf: (id: number) => string,
): string {
  return `${name} (${pluralize(admins, "admin")}${unitId === here ? "" : `, ${nameOf(unitId)} only`})`;
}

function UnitSkeleton() {
  return (
    <Stack gap="md">
      <Panel>
        <SkeletonLines count={4} />
      </Panel>
      <Panel>
        <SkeletonLines count={12} />
      </Panel>
    </Stack>
  );
}

function RenameUnit({ unit }: { unit: UnitDetail }) {
  const update = useUpdateUnit(unit.id);
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button variant="default" size="xs" onClick={dialog.open}>
        Rename
      </Button>
      <UnitNameDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Rename ${unit.name}`}
        verb="Rename unit"
        name={unit.name}
        draft={`unit-name-${unit.id}`}
        send={(name) => update.mutateAsync({ name })}
      />
    </>
  );
}
