"use client";

import { Group, TextInput } from "@mantine/core";
import type { ReactNode } from "react";

import { SIZE_HELP, parseSizeMb } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";
import type { MailboxOptions } from "#app/console/(pages)/mailboxes/queries.ts";
import { UnitSelect } from "#app/console/(pages)/mailboxes/unit-select.tsx";
import { useMe } from "#app/console/privileges.ts";
import { AddressFields, completeAddress, likelyDomain } from "#app/console/ui/address-fields.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { formatCount } from "#app/console/ui/format.ts";

export type NewMailboxFields = {
  email: string;
  name: string;
  quota_mb?: number;
  org_unit_id?: number;
};

/** @param aside shown next to the submit button */
export function NewMailboxForm({
  options,
  send,
  aside,
}: {
  options: MailboxOptions;
  send: (fields: NewMailboxFields) => Promise<unknown>;
  aside: ReactNode;
}) {
  const units = options.units.filter((unit) => unit.may_create);
  const form = useForm({
    initialValues: {
      ...{ name: "", email: "", domain: likelyDomain(options.domains, useMe()), quota_mb: "" },
      // With a single allowed unit, there is no select.
      org_unit_id: String(units[0]?.id ?? ""),
    },
    labels: {
      ...{ name: "Name", email: "Address", quota_mb: "Storage limit", org_unit_id: "Unit" },
    },
    checks: { name: required, email: required },
    draft: "new-mailbox",
    send({ name, email, domain, quota_mb, org_unit_id }) {
      const quota = parseSizeMb(quota_mb);
      return send({
        email: completeAddress(email, domain),
        name,
        ...(quota !== undefined && { quota_mb: quota }),
        ...(org_unit_id !== "" && { org_unit_id: Number(org_unit_id) }),
      });
    },
  });

  return (
    <Form
      form={form}
      gap="lg"
      maxWidth={560}
      actions={
        <Group gap="xs">
          <SubmitButton form={form}>Create mailbox</SubmitButton>
          {aside}
        </Group>
      }
    >
      <TextInput
        {...form.field("name")}
        description="Shown next to the address."
        placeholder="Ann Lee"
        maxLength={120}
        autoComplete="off"
        data-autofocus
      />
      <AddressFields
        address={form.field("email")}
        domain={form.field("domain")}
        domains={options.domains}
        placeholder="ann.lee"
      />
      <TextInput
        {...form.field("quota_mb")}
        label="Storage limit in MB"
        description={sizeHelp(options)}
        placeholder={String(options.default_quota_mb)}
        inputMode="numeric"
        autoComplete="off"
      />
      {units.length > 1 && (
        <UnitSelect
          units={units}
          value={form.values.org_unit_id}
          onChange={(unit) => form.set("org_unit_id", unit)}
          error={form.errors["org_unit_id"] ?? null}
        />
      )}
    </Form>
  );
}

function sizeHelp({ default_quota_mb: usual, quota_mb_max: most }: MailboxOptions): string {
  const left = `${SIZE_HELP} If empty, the mailbox gets ${formatCount(usual)} MB.`;
  return most === null ? left : `${left} Your plan allows ${formatCount(most)} MB.`;
}
