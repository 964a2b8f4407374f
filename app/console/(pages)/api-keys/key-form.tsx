"use client";

import { Button, Group, NativeSelect, Radio, Stack, TextInput } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useState } from "react";

import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

import { AllowListField } from "./allow-list-field.tsx";
import classes from "./key-form.module.css";
import { isOfAllowList, isOfName } from "./key-problems.ts";
import { entriesOf, permissions } from "./key-words.ts";
import type { KeyChoices, KeyFields } from "./queries.ts";

/** What a new key is called, what it allows and from where. */
export function KeyForm({
  choices,
  isPending,
  error,
  onSubmit,
  aside,
}: {
  choices: KeyChoices;
  isPending: boolean;
  error: Error | null;
  onSubmit: (fields: KeyFields) => void;
  aside: ReactNode;
}) {
  const [permission, setPermission] = useState<KeyFields["permission"]>("sending_access");
  const [domainId, setDomainId] = useState("");
  const [addresses, setAddresses] = useState("");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isPending) return;
    onSubmit({
      name: textOf(new FormData(event.currentTarget), "name"),
      permission,
      domain_id: (permission === "sending_access" && domainId) || null,
      allowed_addresses: entriesOf(addresses),
    });
  }

  const problem = error?.message ?? null;
  return (
    <form onSubmit={handleSubmit} method="post" noValidate className={classes.form}>
      <Stack gap="lg">
        <TextInput
          name="name"
          label="Name"
          description="The program that will use it, so that you recognize it later."
          placeholder="Shop"
          maxLength={50}
          autoComplete="off"
          autoFocus
          error={isOfName(error) && problem}
        />
        <Radio.Group size="md" label="Permission" value={permission} onChange={setPermission}>
          <Stack gap="xs" mt={4}>
            {(["sending_access", "full_access"] as const).map((each) => (
              <Radio
                key={each}
                size="md"
                value={each}
                label={permissions[each].word}
                description={permissions[each].help}
              />
            ))}
          </Stack>
        </Radio.Group>
        {permission === "sending_access" && (
          <DomainSelect choices={choices} value={domainId} onChange={setDomainId} />
        )}
        <AllowListField
          value={addresses}
          onChange={setAddresses}
          choices={choices}
          error={isOfAllowList(error) ? problem : null}
        />
        {!isOfName(error) && !isOfAllowList(error) && <FormProblem error={error} />}
        <Group gap="xs">
          <Button type="submit" data-loading={isPending || undefined} aria-busy={isPending}>
            Create API key
          </Button>
          {aside}
        </Group>
      </Stack>
    </form>
  );
}

function DomainSelect({
  choices,
  value,
  onChange,
}: {
  choices: KeyChoices;
  value: string;
  onChange: (id: string) => void;
}) {
  if (choices.domains.length === 0) return null;
  return (
    <NativeSelect
      label="Domain"
      description={
        value === ""
          ? "The key may send from every verified domain of yours, also from those to come."
          : "The key may send from this domain only."
      }
      size="md"
      data={[
        { value: "", label: "All domains" },
        ...choices.domains.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
