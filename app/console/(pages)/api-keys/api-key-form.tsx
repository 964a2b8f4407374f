"use client";

import { Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { type ReactNode, type SubmitEvent, useState } from "react";

import { FormError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { RadioList } from "#app/console/ui/radio-list.tsx";

import { AllowListField } from "./allow-list-field.tsx";
import classes from "./api-key-form.module.css";
import { parseAllowList } from "./allow-list.ts";
import { isAllowListError, isNameError } from "./key-field-errors.ts";
import { permissions } from "./key-labels.ts";
import type { KeyChoices, KeyFields } from "./queries.ts";

const PERMISSIONS = (["sending_access", "full_access"] as const).map((value) => ({
  value,
  ...permissions[value],
}));

export function ApiKeyForm({
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
      name: formText(new FormData(event.currentTarget), "name"),
      permission,
      domain_id: (permission === "sending_access" && domainId) || null,
      allowed_addresses: parseAllowList(addresses),
    });
  }

  const message = error?.message ?? null;
  return (
    <form onSubmit={handleSubmit} method="post" noValidate className={classes.form}>
      <Stack gap="lg">
        <TextInput
          name="name"
          label="Name"
          description="The application that will use this key."
          placeholder="Shop"
          maxLength={50}
          autoComplete="off"
          autoFocus
          error={isNameError(error) && message}
        />
        <RadioList
          label="Permission"
          choices={PERMISSIONS}
          value={permission}
          onChange={setPermission}
        />
        {permission === "sending_access" && (
          <DomainSelect choices={choices} value={domainId} onChange={setDomainId} />
        )}
        <AllowListField
          value={addresses}
          onChange={setAddresses}
          choices={choices}
          error={isAllowListError(error) ? message : null}
        />
        {!isNameError(error) && !isAllowListError(error) && <FormError error={error} />}
        <Group gap="xs">
          <Button type="submit" aria-busy={isPending}>
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
          ? "The key can send from all your verified domains, including ones created later."
          : "The key can only send from this domain."
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
