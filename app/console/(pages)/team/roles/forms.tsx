"use client";

import { Button, Checkbox, Group, NativeSelect, Skeleton, Text, TextInput } from "@mantine/core";
import {
  PRIVILEGES,
  PRIVILEGE_GROUPS,
  privilegeLabels,
  privilegeText,
  READY_MADE_ROLES,
  UNIT_PRIVILEGES,
} from "#server/universal/privileges.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { useRouter, useSearchParams } from "next/navigation";
import { useId, useState } from "react";

import {
  CHANGES_TEAM,
  TEAM_SETTINGS,
  type RoleFields,
  roleFields,
  type RoleRow,
  type RoleList,
} from "#app/console/(pages)/team/queries.ts";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";

import classes from "./roles.module.css";

const LIST = "/console/team/roles";

export function NewRole() {
  const options = useRead("roles.list", {}, TEAM_SETTINGS);
  return (
    <>
      <Breadcrumbs
        trail={[
          { label: "Team", href: "/console/team" },
          { label: "Roles", href: LIST },
        ]}
      />
      <PageHeader title="Create role" help="roles" />
      <QueryView
        query={options}
        noun="the available privileges"
        skeleton={<Skeleton height={560} />}
      >
        {(options) => (
          <Panel>
            <NewRoleForm options={options} />
          </Panel>
        )}
      </QueryView>
    </>
  );
}

function NewRoleForm({ options }: { options: RoleList }) {
  const router = useRouter();
  const create = useChange("roles.create", CHANGES_TEAM);
  const suggestion = useSearchParams().get("suggestion");
  const [initialValues] = useState(() => initialFields(suggestion, options.holds));
  const form = useRoleForm({
    initialValues,
    draft: `new-role-${suggestion ?? ""}`,
    send: (fields) => create.run({ body: fields }),
    onDone({ name }) {
      toast(`Role ${name} created`);
      router.replace(LIST);
    },
    leavesPage: true,
  });
  return <RoleForm form={form} options={options} verb="Create role" cancelHref={LIST} />;
}

/** @param holds the admin's own privileges: no others can be assigned */
function initialFields(suggestion: string | null, holds: string[]): RoleFields {
  const suggested = READY_MADE_ROLES.find(({ name }) => name === suggestion);
  const { name = "", privileges = [] } = suggested ?? {};
  return { name, privileges: privileges.filter((one) => holds.includes(one)), unitId: null };
}

type EditRoleProps = { role: RoleRow; roles: RoleList; onReset: () => void };

/**
 * The form of a role. If another admin changes the role in the meantime, it keeps the user's edits, shows what
 * changed and lets them choose a version.
 *
 * @param onReset remounts the form with the current role
 */
export function EditRole({ role, roles, onReset }: EditRoleProps) {
  const [expected, setExpected] = useState(() => roleFields(role));
  const update = useChange("roles.update", CHANGES_TEAM);
  const [initialValues] = useState(expected);
  const form = useRoleForm({
    initialValues,
    draft: `role-${role.id}`,
    send: (fields) => update.run({ params: { id: role.id }, body: { ...fields, expected } }),
    onDone({ name }) {
      toast(`Role ${name} saved`);
      onReset();
    },
  });
  const latest = roleFields(role);
  const isOutdated = !update.isPending && !update.answer && !isSame(expected, latest);
  return (
    <Panel title="Settings">
      {isOutdated && (
        <div role="alert" className={classes.meanwhile}>
          <Text fw={600}>Another admin just changed this role</Text>
          <Text>{differences(expected, latest, roles).join(" ")}</Text>
          <Group gap="xs" mt="xs">
            <Button
              variant="default"
              onClick={() => {
                form.discard();
                onReset();
              }}
            >
              Load their changes
            </Button>
            <Button
              variant="default"
              onClick={() => {
                form.clearError();
                setExpected(latest);
              }}
            >
              Keep my changes
            </Button>
          </Group>
        </div>
      )}
      <RoleForm
        form={isOutdated ? { ...form, error: null } : form}
        options={roles}
        current={expected.unitId === form.values.unitId ? expected.privileges : []}
        verb="Save role"
      />
    </Panel>
  );
}

const isSame = (one: RoleFields, other: RoleFields) =>
  one.name === other.name &&
  one.unitId === other.unitId &&
  new Set(one.privileges).symmetricDifference(new Set(other.privileges)).size === 0;

/** The changes between two versions of a role, one sentence each. */
function differences(before: RoleFields, after: RoleFields, { units }: RoleList): string[] {
  const added = after.privileges.filter((privilege) => !before.privileges.includes(privilege));
  const removed = before.privileges.filter((privilege) => !after.privileges.includes(privilege));
  const unit = units.find(({ id }) => id === after.unitId)?.name;
  return [
    ...(before.name !== after.name ? [`New name: ${after.name}.`] : []),
    ...(before.unitId !== after.unitId
      ? [unit ? `New scope: ${unit}.` : "New scope: whole company."]
      : []),
    ...(added.length > 0 ? [`Added: ${privilegeLabels(added)}.`] : []),
    ...(removed.length > 0 ? [`Removed: ${privilegeLabels(removed)}.`] : []),
  ];
}

const INDENT = "\u2003";
const EVERYWHERE = "";

const useRoleForm = (options: {
  initialValues: RoleFields;
  draft: string;
  send: (fields: RoleFields) => Promise<unknown>;
  onDone: (fields: RoleFields) => void;
  leavesPage?: boolean;
}) =>
  useForm({
    ...options,
    labels: { name: "Name", unitId: "Unit", privileges: "Privileges:" },
    checks: { name: required },
    onDone: (_, fields) => options.onDone(fields),
  });

type RoleFormProps = {
  form: ReturnType<typeof useRoleForm>;
  options: RoleList;
  current?: string[];
  verb: string;
  cancelHref?: string;
};

/** @param current the role's privileges, which an admin who lacks them can keep but not add to other roles */
function RoleForm({ form, options, current = [], verb, cancelHref }: RoleFormProps) {
  const { unitId, privileges } = form.values;
  const canAssign = (privilege: string) =>
    current.includes(privilege) || hasPrivilege(options, privilege, unitId);

  return (
    <div className={classes.form}>
      <Form form={form} gap="lg" submit={verb} cancelHref={cancelHref}>
        <TextInput {...form.field("name")} placeholder="Help desk" autoComplete="off" />
        <NativeSelect
          name="unitId"
          label="Scope"
          description="A role for one unit can include only mailbox privileges. They apply to the unit and its subunits."
          size="md"
          value={unitId === null ? EVERYWHERE : String(unitId)}
          data={[
            { value: EVERYWHERE, label: "Whole company" },
            ...options.units.map(({ id, name, depth }) => ({
              value: String(id),
              label: INDENT.repeat(depth) + name,
            })),
          ]}
          onChange={(event) => {
            const { value } = event.currentTarget;
            form.set("unitId", value === EVERYWHERE ? null : Number(value));
          }}
          error={form.errors["unitId"]}
        />
        <PrivilegeChoice
          value={privileges}
          onChange={(chosen) => form.set("privileges", chosen)}
          canAssign={canAssign}
          isForUnit={unitId !== null}
          error={form.errors["privileges"] ?? null}
        />
      </Form>
    </div>
  );
}

function hasPrivilege(
  { holds, holdsIn }: RoleList,
  privilege: string,
  unitId: number | null,
): boolean {
  if (holds.some((held) => held === privilege)) return true;
  if (unitId === null) return false;
  const inUnits = holdsIn.find((held) => held.privilege === privilege);
  return inUnits?.unitIds.includes(unitId) ?? false;
}

type Choice = {
  value: string[];
  onChange: (value: string[]) => void;
  /** Whether the signed-in admin has the privilege in the role's unit, or the role already gives it. */
  canAssign: (privilege: string) => boolean;
  isForUnit: boolean;
};

function PrivilegeChoice({ error, ...choice }: Choice & { error: string | null }) {
  const problemId = useId();
  return (
    <fieldset className={classes.choice} aria-describedby={error ? problemId : undefined}>
      <legend className={classes.legend}>Privileges</legend>
      {PRIVILEGE_GROUPS.map(({ name, privileges }) => (
        <fieldset key={name} className={classes.group}>
          <legend className={classes.name}>{name}</legend>
          {privileges.map((privilege) => (
            <PrivilegeCheckbox key={privilege} privilege={privilege} {...choice} />
          ))}
        </fieldset>
      ))}
      {error && (
        <Text id={problemId} role="alert" size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
    </fieldset>
  );
}

function PrivilegeCheckbox({
  privilege,
  value,
  onChange,
  canAssign,
  isForUnit,
}: Choice & { privilege: (typeof PRIVILEGES)[number] }) {
  const { name, description } = privilegeText(privilege);
  const isChosen = value.includes(privilege);
  const reason = unassignableReason();

  function unassignableReason(): string | null {
    if (isForUnit && !UNIT_PRIVILEGES.some((each) => each === privilege))
      return "Applies to the whole company, so a role for one unit can’t include it.";
    return canAssign(privilege) ? null : "You don’t have this privilege, so you can’t assign it.";
  }

  return (
    <Checkbox
      label={name}
      description={reason ?? description}
      classNames={{ description: classes.description }}
      // Privileges can always be removed from the role.
      disabled={reason !== null && !isChosen}
      checked={isChosen}
      onChange={() =>
        onChange(PRIVILEGES.filter((other) => value.includes(other) !== (other === privilege)))
      }
    />
  );
}
