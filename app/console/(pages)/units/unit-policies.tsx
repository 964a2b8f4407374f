"use client";

import { Button, NativeSelect, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useId, useState } from "react";

import { parseSizeMb } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/toast.tsx";

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

/** Saves immediately and offers an undo. */
function useSetPolicy({ unit, policy }: PolicyProps) {
  const update = useUpdateUnit(unit.id);
  const { name, own, applies_to: count } = policy;
  const set = (value: boolean | number | null) => {
    const verb = value === null ? "reset" : "updated";
    update.mutate(
      { policies: { [name]: value } },
      {
        onSuccess: () =>
          toast(`${POLICIES[name].label} ${verb} ${affectedMailboxes(count)}`, {
            undo: () => update.mutate({ policies: { [name]: own } }),
          }),
      },
    );
  };
  return { set, update };
}

function PolicySelect({ unit, policy, labelId }: PolicyProps & { labelId: string }) {
  const { set, update } = useSetPolicy({ unit, policy });
  const { name, own, above } = policy;
  const inherited = formatPolicyValue(name, above.value);
  return (
    <>
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
          set(chosen === "" ? null : chosen === "true");
        }}
      />
      <FormError error={update.error} />
    </>
  );
}

function PolicyNumberForm({ unit, policy, labelId }: PolicyProps & { labelId: string }) {
  const { set, update } = useSetPolicy({ unit, policy });
  const { name, own, above } = policy;
  const [text, setText] = useState(own === null ? "" : String(own));
  const inherited = formatPolicyValue(name, above.value, unit.default_quota_mb);
  const problem = fieldError(
    update.error,
    name === "default_quota_mb" ? "quota_mb" : name,
    POLICIES[name].label,
  );

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const value = parseSizeMb(text);
    if (value !== undefined) set(value);
    else if (own !== null) set(null);
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate>
      <div className={classes.number}>
        <TextInput
          size="sm"
          aria-labelledby={labelId}
          placeholder={`${unit.is_root ? "Default" : "Inherited"}: ${inherited.replace(" characters", "")}`}
          inputMode="numeric"
          autoComplete="off"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            update.reset();
          }}
          rightSection={
            <Text size="sm" c="dimmed">
              {name === "default_quota_mb" ? "MB" : "chars"}
            </Text>
          }
          rightSectionWidth={48}
          error={problem}
        />
        <Button type="submit" variant="default" aria-busy={update.isPending}>
          Save
        </Button>
      </div>
      {own !== null && (
        <Button variant="subtle" size="compact-sm" mt={4} ml={-8} onClick={() => set(null)}>
          {unit.is_root ? "Reset to default" : "Inherit from parent"} ({inherited})
        </Button>
      )}
      {!problem && <FormError error={update.error} />}
    </form>
  );
}
