"use client";

import { Button, Group, Stack, TextInput } from "@mantine/core";
import type { ReactNode, SubmitEvent } from "react";

import { SIZE_HELP, parseSizeMb } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";
import type { MailboxOptions } from "#app/console/(pages)/mailboxes/queries.ts";
import { UnitSelect } from "#app/console/(pages)/mailboxes/unit-select.tsx";
import { AddressFields, readAddress } from "#app/console/ui/address-fields.tsx";
import { FormError, fieldError, errorForReason } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";
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
  isPending,
  error,
  onSubmit,
  aside,
}: {
  options: MailboxOptions;
  isPending: boolean;
  error: Error | null;
  onSubmit: (fields: NewMailboxFields) => void;
  aside: ReactNode;
}) {
  const problems = {
    email: fieldError(error, "email", "Address") ?? errorForReason(error, "already_exists"),
    name:
      fieldError(error, "name", "Name") ??
      (errorForReason(error, "missing_required_field") && "Name is required"),
    quota: fieldError(error, "quota_mb", "Storage limit"),
    unit: fieldError(error, "org_unit_id", "Unit"),
  };
  const units = options.units.filter((unit) => unit.may_create);
  const isOfField = Object.values(problems).some((problem) => problem !== null);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isPending) return;
    const form = new FormData(event.currentTarget);
    const quota = parseSizeMb(formText(form, "quota_mb"));
    // With a single allowed unit, there is no select.
    const unit = form.get("org_unit_id") ?? units[0]?.id;
    onSubmit({
      email: readAddress(form),
      name: formText(form, "name").trim(),
      ...(quota !== undefined && { quota_mb: quota }),
      ...(unit !== undefined && { org_unit_id: Number(unit) }),
    });
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate>
      <Stack gap="lg" maw={560}>
        <TextInput
          name="name"
          label="Name"
          description="Shown next to the address."
          placeholder="Ann Lee"
          error={problems.name}
          maxLength={120}
          autoComplete="off"
          data-autofocus
        />
        <AddressFields domains={options.domains} placeholder="ann.lee" error={problems.email} />
        <TextInput
          name="quota_mb"
          label="Storage limit in MB"
          description={sizeHelp(options)}
          placeholder={String(options.default_quota_mb)}
          error={problems.quota}
          inputMode="numeric"
          autoComplete="off"
        />
        {units.length > 1 && <UnitSelect units={units} error={problems.unit} />}
        {!isOfField && <FormError error={error} />}
        <Group gap="xs">
          <Button type="submit" aria-busy={isPending}>
            Create mailbox
          </Button>
          {aside}
        </Group>
      </Stack>
    </form>
  );
}

function sizeHelp({ default_quota_mb: usual, quota_mb_max: most }: MailboxOptions): string {
  const left = `${SIZE_HELP} If empty, the mailbox gets ${formatCount(usual)} MB.`;
  return most === null ? left : `${left} Your plan allows ${formatCount(most)} MB.`;
}
