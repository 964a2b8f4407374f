import { NativeSelect, Text, TextInput } from "@mantine/core";

import { parseSizeMb } from "#app/console/(pages)/mailboxes/labels.ts";
import type { InputOf } from "#app/console/console-client.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { ChangeBar, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { SettingRow } from "#app/console/ui/setting-row.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import {
  formatPolicyValue,
  POLICIES,
  POLICY_NAMES,
  policyChanges,
  type PolicyName,
  policySource,
  type PolicyValue,
  CHANGES_UNITS,
  type UnitDetail,
  type UnitPolicy,
} from "./policies.ts";
import classes from "./units.module.css";

/** What is chosen for each policy: "" to inherit. The default size is named as in the server's errors. */
type Chosen = Record<Exclude<PolicyName, "defaultQuotaMb"> | "quotaMb", string>;

const fieldOf = (name: PolicyName) => (name === "defaultQuotaMb" ? "quotaMb" : name);

const LABELS = Object.fromEntries(
  POLICY_NAMES.map((name) => [fieldOf(name), POLICIES[name].label]),
);

function parseValue(name: PolicyName, text: string): PolicyValue {
  const { choices } = POLICIES[name];
  if (!choices) return parseSizeMb(text) ?? null;
  return choices.find(({ value }) => String(value) === text)?.value ?? null;
}

/** Collects changes, and says how many mailboxes they reach before they are saved. */
export function UnitPolicyForm({ unit, mayChange }: { unit: UnitDetail; mayChange: boolean }) {
  const update = useChange("units.update", CHANGES_UNITS);
  const policies = POLICY_NAMES.map((name) =>
    unit.policies.find((policy) => policy.name === name)!,
  );
  const form = useForm({
    initialValues: Object.fromEntries(
      policies.map(({ name, own }) => [fieldOf(name), own === null ? "" : String(own)]),
    ) as Chosen,
    labels: LABELS,
    draft: `policies-${unit.id}`,
    followsServer: true,
    send: (values) =>
      update.run({
        params: { id: String(unit.id) },
        body: { policies: changed(values) } as InputOf<"units.update">["body"],
      }),
    onDone: () => toast(`Policies of ${unit.name} saved`),
  });

  function changed(values: Chosen): Partial<Record<PolicyName, PolicyValue>> {
    const all = policies.map(({ name, own }) => {
      return { name, own, value: parseValue(name, values[fieldOf(name)]) };
    });
    return Object.fromEntries(
      all.filter(({ own, value }) => value !== own).map(({ name, value }) => [name, value]),
    );
  }

  return (
    <Form
      form={form}
      actions={
        <ChangeBar
          form={form}
          changes={policyChanges(policies, changed(form.values), unit.defaultQuotaMb)}
        />
      }
    >
      <Panel title="Policies">
        <Text c="dimmed" mb="md">
          Changes apply at the next sign-in or message.
        </Text>
        <ul>
          {policies.map((policy) => (
            <PolicyRow
              key={policy.name}
              unit={unit}
              policy={policy}
              field={mayChange ? form.field(fieldOf(policy.name)) : null}
            />
          ))}
        </ul>
      </Panel>
    </Form>
  );
}

type PolicyProps = { unit: UnitDetail; policy: UnitPolicy };
type Field = ReturnType<ReturnType<typeof useForm<Chosen, unknown>>["field"]>;

/** @param field null to show the value only */
function PolicyRow({ unit, policy, field }: PolicyProps & { field: Field | null }) {
  const { label, help, choices } = POLICIES[policy.name];
  return (
    <SettingRow
      label={label}
      help={help}
      note={
        <>
          <span className={classes.source} data-own={policy.own !== null}>
            {policySource(policy.from, unit.id)}
          </span>{" "}
          · for {pluralize(policy.appliesTo, "mailbox", "mailboxes")}
          {field && !choices && policy.own !== null && " · leave empty to inherit"}
        </>
      }
    >
      {(labelId) =>
        field ? (
          <PolicyInput unit={unit} policy={policy} field={field} labelId={labelId} />
        ) : (
          <span>{formatPolicyValue(policy.name, policy.value, unit.defaultQuotaMb)}</span>
        )
      }
    </SettingRow>
  );
}

type PolicyInputProps = PolicyProps & { field: Field; labelId: string };

function PolicyInput({ unit, policy: { name, above }, field, labelId }: PolicyInputProps) {
  const inherited = formatPolicyValue(name, above.value, unit.defaultQuotaMb);
  const fallback = `${unit.isRoot ? "Default" : "Inherited"}: ${inherited.toLowerCase()}`;
  const props = { ...field, label: undefined, size: "sm", "aria-labelledby": labelId } as const;
  const { choices } = POLICIES[name];
  if (choices)
    return (
      <NativeSelect
        {...props}
        data={[
          { value: "", label: fallback },
          ...choices.map(({ value, label }) => ({ value: String(value), label })),
        ]}
      />
    );
  return (
    <TextInput
      {...props}
      placeholder={`${unit.isRoot ? "Default" : "Inherited"}: ${inherited.replace(" characters", "")}`}
      inputMode="numeric"
      autoComplete="off"
      rightSection={
        <Text size="sm" c="dimmed">
          {name === "defaultQuotaMb" ? "MB" : "chars"}
        </Text>
      }
      rightSectionWidth={48}
    />
  );
}
