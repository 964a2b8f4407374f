"use client";

import { Group, NativeSelect, TextInput } from "@mantine/core";
import type { ReactNode } from "react";

import { required } from "#app/console/ui/form/checks.ts";
import { Form, RadioList, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { AllowListField } from "./allow-list-field.tsx";
import classes from "./api-key-form.module.css";
import { parseAllowList } from "./allow-list.ts";
import { permissions } from "./key-labels.ts";
import type { KeyChoices, KeyFields } from "./queries.ts";

const PERMISSIONS = (["sending_access", "full_access", "test"] as const).map((value) => ({
  value,
  ...permissions[value],
}));

type Values = {
  name: string;
  permission: KeyFields["permission"];
  domainId: string;
  allowedAddresses: string;
};

const NONE: Values = {
  name: "",
  permission: "sending_access",
  domainId: "",
  allowedAddresses: "",
};

export function ApiKeyForm({
  choices,
  send,
  aside,
}: {
  choices: KeyChoices;
  send: (fields: KeyFields) => Promise<unknown>;
  aside: ReactNode;
}) {
  const form = useForm({
    initialValues: NONE,
    labels: {
      name: "Name",
      permission: "Permission",
      domainId: "Domain",
      allowedAddresses: "Allowed IP addresses",
    },
    checks: { name: required },
    draft: "new-api-key",
    send: ({ name, permission, domainId, allowedAddresses }) =>
      send({
        name,
        permission,
        domainId: (permission === "sending_access" && domainId) || null,
        allowedAddresses: parseAllowList(allowedAddresses),
      }),
  });

  return (
    <div className={classes.form}>
      <Form
        form={form}
        gap="lg"
        actions={
          <Group gap="xs">
            <SubmitButton form={form}>Create API key</SubmitButton>
            {aside}
          </Group>
        }
      >
        <TextInput
          {...form.field("name")}
          description="The application that will use this key."
          placeholder="Shop"
          maxLength={50}
          autoComplete="off"
          autoFocus
        />
        <RadioList
          label="Permission"
          choices={PERMISSIONS}
          value={form.values.permission}
          onChange={(permission) => form.set("permission", permission)}
        />
        {form.values.permission === "sending_access" && choices.domains.length > 0 && (
          <NativeSelect
            {...form.field("domainId")}
            description={
              form.values.domainId === ""
                ? "The key can send from all your verified domains, including ones created later."
                : "The key can only send from this domain."
            }
            size="md"
            data={[
              { value: "", label: "All domains" },
              ...choices.domains.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        )}
        <AllowListField field={form.field("allowedAddresses")} choices={choices} />
      </Form>
    </div>
  );
}
