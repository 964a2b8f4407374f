"use client";

import { Button, NativeSelect, Text, TextInput } from "@mantine/core";
import { useId } from "react";

import { parseSizeMb } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { useAction } from "#app/console/ui/use-action.ts";

import classes from "./unit-policies.module.css";
import { POLICY_NAMES, policySource, formatPolicyValue, POLICIES } from "./policy-labels.ts";
import { type UnitDetail, type UnitPolicy, useUpdateUnit } from "./queries.ts";

export function UnitPolicies({ unit, mayChange }: { unit: UnitDetail; mayChange: boolean }) {
  const policies = POLICY_NAMES.map((name) =>
    unit.policies.find((policy) => policy.name === name)!,
  );
  return (
    <Panel title="Policies">
      <Text c="dimmed" mb="md">
        Changes apply at the next sign-in or message.
      </Text>
      <ul className={classes.policies}>
        {policies.map((policy) => (
          <PolicyRow key={policy.name} unit={unit} policy={policy} mayChange={mayChange} />
        ))}
      </ul>
    </Panel>
  );
}

type PolicyProps = { unit: UnitDetail; policy: UnitPolicy };

function PolicyRow({ unit, policy, mayChange }: PolicyProps & { mayChange: boolean }) {
  const id = useId();
  const { label, help } = POLICIES[policy.name];
  const isNumber = policy.name === "default_quota_mb" || policy.name === "password_length_min";
  return (
    <li className={classes.policy}>
      <div className={classes.words}>
        <span id={id} className={classes.label}>
          {label}
        </span>
        <Text size="sm" c="dimmed">
          {help}
        </Text>
      </div>
      <div className={classes.value}>
        {!mayChange && (
          <span>{formatPolicyValue(policy.name, policy.value, unit.default_quota_mb)}</span>
        )}
        {mayChange && !isNumber && <PolicySelect unit={unit} policy={policy} labelId={id} />}
        {mayChange && isNumber && (
          <PolicyNumberForm key={String(policy.own)} unit={unit} policy={policy} labelId={id} />
        )}
        <Text size="sm" c="dimmed">
          <span className={classes.source} data-own={policy.own !== null}>
            {policySource(policy.from, unit.id)}
          </span>{" "}
          · {affectedMailboxes(policy.applies_to)}
        </Text>
      </div>
    </li>
  );
}

const affectedMailboxes = (count: number) => `for ${pluralize(count, "mailbox", "mailboxes")}`;

/** Saves immediately and offers an undo. Null inherits the value. */
function useSetPolicy({ unit, policy }: PolicyProps) {
  const update = useUpdateUnit(unit.id);
  const { name, own, applies_to: count } = policy;
  const save = (value: boolean | number | null) =>
    update.mutateAsync({ policies: { [name]: value } });
  return useAction({
    call: save,
    success: (_, value) =>
      `${POLICIES[name].label} ${value === null ? "reset" : "updated"} ${affectedMailboxes(count)}`,
    undo: () => save(own),
  });
}

function PolicySelect({ unit, policy, labelId }: PolicyProps & { labelId: string }) {
  const { start } = useSetPolicy({ unit, policy });
  const { name, own, above } = policy;
  const inherited = formatPolicyValue(name, above.value);
  return (
    <NativeSelect
      size="sm"
      aria-labelledby={labelId}
      data={[
        {
          value: "",
          label: `${unit.is_root ? "Default" : "Inherited"}: ${inherited.toLowerCase()}`,
        },
        { value: "true", label: "Allowed" },
        { value: "false", label: "Not allowed" },
      ]}
      value={own === null ? "" : String(own)}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        start(chosen === "" ? null : chosen === "true");
      }}
    />
  );
}

function PolicyNumberForm({ unit, policy, labelId }: PolicyProps & { labelId: string }) {
  const { run, start } = useSetPolicy({ unit, policy });
  const { name, own, above } = policy;
  const inherited = formatPolicyValue(name, above.value, unit.default_quota_mb);
  const field = name === "default_quota_mb" ? "quota_mb" : name;
  const form = useForm<Record<string, string>, unknown>({
    initialValues: { [field]: own === null ? "" : String(own) },
    labels: { [field]: POLICIES[name].label },
    draft: `policy-${unit.id}-${name}`,
    async send({ [field]: text = "" }) {
      const value = parseSizeMb(text) ?? null;
      if (value !== own) await run(value);
    },
  });

  return (
    <Form
      form={form}
      gap="xs"
      actions={
        own !== null && (
          <div>
            <Button variant="subtle" size="compact-sm" ml={-8} onClick={() => start(null)}>
              {unit.is_root ? "Reset to default" : "Inherit from parent"} ({inherited})
            </Button>
          </div>
        )
      }
    >
      <div className={classes.number}>
        <TextInput
          {...form.field(field)}
          label={undefined}
          size="sm"
          aria-labelledby={labelId}
          placeholder={`${unit.is_root ? "Default" : "Inherited"}: ${inherited.replace(" characters", "")}`}
          inputMode="numeric"
          autoComplete="off"
          rightSection={
            <Text size="sm" c="dimmed">
              {name === "default_quota_mb" ? "MB" : "chars"}
            </Text>
          }
          rightSectionWidth={48}
        />
        <SubmitButton form={form} variant="default">
          Save
        </SubmitButton>
      </div>
    </Form>
  );
}
