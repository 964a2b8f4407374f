import { Anchor, Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import Link from "next/link";
import type { ReactNode } from "react";

import { useRead } from "#app/console/endpoint-queries.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { DescriptionList } from "#app/console/ui/details.tsx";
import { DangerousAction, Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { formatCount, pluralize } from "#app/console/ui/format.ts";
import { DangerZone, Panel } from "#app/console/ui/panel.tsx";
import { PanelSkeleton, QueryView } from "#app/console/ui/query-view.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";

import {
  CHANGES_UNITS,
  UNIT_SETTINGS,
  type UnitDetail,
  type UnitList,
  type UnitRow,
} from "./policies.ts";
import { pathTo, subtreeIds, visibleNodes } from "./tree-nodes.ts";
import { UnitPolicyForm } from "./unit-policies.tsx";

export function UnitDetails({ id, units }: { id: number; units: UnitList }) {
  const unit = useRead("units.get", { params: { id: String(id) } }, UNIT_SETTINGS);
  const row = units.data.find((one) => one.id === id);
  return (
    <QueryView query={unit} noun="this unit" skeleton={<UnitSkeleton />}>
      {(unit) => (
        <Stack gap="md">
          <UnitFacts unit={unit} row={row} units={units} />
          <UnitPolicyForm key={unit.id} unit={unit} mayChange={units.mayChange} />
          {units.mayChange && !unit.isRoot && row && (
            <DeleteUnit unit={unit} row={row} units={units.data} />
          )}
        </Stack>
      )}
    </QueryView>
  );
}

type UnitFactsProps = { unit: UnitDetail; row: UnitRow | undefined; units: UnitList };

function UnitFacts({ unit, row, units }: UnitFactsProps) {
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
      <DescriptionList
        items={{
          Parent: path.length > 0 && path.join(" / "),
          Mailboxes: (
            <>
              <Anchor
                component={Link}
                href={`/console/mailboxes?unit=${unit.id}`}
                underline="always"
              >
                {pluralize(below, "mailbox", "mailboxes")}
              </Anchor>
              {below !== unit.mailboxes && `, ${formatCount(unit.mailboxes)} directly in this unit`}
            </>
          ),
          "Managed by":
            unit.roles.length === 0
              ? "No roles limited to this unit"
              : unit.roles.map((role) => describeRole(role, unit.id, nameOf)).join("; "),
          Created: <ExactTime at={unit.createdAt} />,
        }}
      />
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

const UnitSkeleton = () => (
  <Stack gap="md">
    <PanelSkeleton count={4} />
    <PanelSkeleton count={12} />
  </Stack>
);

function RenameUnit({ unit }: { unit: UnitDetail }) {
  const update = useChange("units.update", CHANGES_UNITS);
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
        send={(name) => update.run({ params: { id: String(unit.id) }, body: { name } })}
      />
    </>
  );
}

type CreateUnitProps = { units: UnitRow[]; parentId: number; onCreated: (id: number) => void };

export function CreateUnit({ units, parentId, onCreated }: CreateUnitProps) {
  const creation = useChange("units.create", CHANGES_UNITS);
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
        send={(name) => creation.run({ body: { name, parentId } })}
        onDone={({ id }) => onCreated(id)}
      >
        It inherits policies from {parent?.name} until you set its own.
      </UnitNameDialog>
    </>
  );
}

const INDENT = "\u2003";

type MoveUnitProps = { unit: UnitDetail; units: UnitRow[] };

function MoveUnit(props: MoveUnitProps) {
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
  const update = useChange("units.update", CHANGES_UNITS);
  const row = units.find(({ id }) => id === unit.id);
  const form = useForm({
    initialValues: { parentId: String(row?.parentId ?? "") },
    labels: { parentId: "Parent unit" },
    draft: `unit-parent-${unit.id}`,
    send: ({ parentId }) =>
      update.run({ params: { id: String(unit.id) }, body: { parentId: Number(parentId) } }),
    onDone: onClose,
  });

  return (
    <Form form={form} submit="Move unit" onClose={onClose}>
      <Text c="dimmed">
        Its subunits and mailboxes move with it. It takes on its new parent’s policies, except the
        ones it sets itself. Roles limited to a unit above it cover it from then on.
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

const TITLE = "Delete this unit";

/** Only an empty unit can be deleted; its contents are never moved automatically. */
function DeleteUnit({ unit, row, units }: { unit: UnitDetail; row: UnitRow; units: UnitRow[] }) {
  // The page must navigate away before the refetched tree lacks the unit.
  const deletion = useChange("units.delete", { ...CHANGES_UNITS, waits: false });
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
    <DangerousAction
      title={TITLE}
      action="Delete unit"
      description={consequences}
      question={`Delete ${unit.name}?`}
      typeToConfirm={unit.roles.length > 0 ? unit.name : undefined}
      onConfirm={async () => {
        await deletion.run({ params: { id: String(unit.id) } });
        replaceSearch(row.parentId === null ? "?" : `?unit=${row.parentId}`);
      }}
    >
      {consequences}
    </DangerousAction>
  );
}

function describeConsequences({ roles }: UnitDetail): string {
  const empty = "This unit has no mailboxes or subunits.";
  if (roles.length === 0) return empty;
  const names = roles.map(({ name }) => name).join(", ");
  return `${empty} ${roles.length === 1 ? "The role" : "The roles"} ${names} ${roles.length === 1 ? "is" : "are"} limited to it and will be deleted too.`;
}

type UnitNameFormProps<Answer> = {
  onClose: () => void;
  verb: string;
  name: string;
  draft: string;
  send: (name: string) => Promise<Answer>;
  onDone?: (answer: Answer) => void;
  children?: ReactNode;
};

const UnitNameDialog = <Answer,>({
  isOpen,
  title,
  ...form
}: { isOpen: boolean; title: string } & UnitNameFormProps<Answer>) => (
  <Modal opened={isOpen} onClose={form.onClose} title={title}>
    <UnitNameForm {...form} />
  </Modal>
);

function UnitNameForm<Answer>({
  onClose,
  verb,
  name,
  draft,
  send,
  onDone,
  children,
}: UnitNameFormProps<Answer>) {
  const form = useForm({
    initialValues: { name },
    labels: { name: "Name" },
    checks: { name: required },
    draft,
    send: ({ name }) => send(name),
    onDone(answer) {
      onClose();
      onDone?.(answer);
    },
  });

  return (
    <Form form={form} submit={verb} onClose={onClose}>
      {children && <Text c="dimmed">{children}</Text>}
      <TextInput {...form.field("name")} maxLength={120} autoComplete="off" data-autofocus />
    </Form>
  );
}
