"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { SubmitEvent } from "react";

import {
  type MailboxDetail,
  mailboxOptionsQuery,
  useUpdateMailbox,
} from "#app/console/(pages)/mailboxes/queries.ts";
import { UnitSelect } from "#app/console/(pages)/mailboxes/unit-select.tsx";
import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

/** Name, size and unit. */
export function Settings({ mailbox }: { mailbox: MailboxDetail }) {
  const update = useUpdateMailbox(mailbox.id);
  const { data: options } = useQuery(mailboxOptionsQuery);
  const problems = {
    name: problemOfField(update.error, "name", "Name"),
    quota: problemOfField(update.error, "quota_mb", "Size"),
    unit: problemOfField(update.error, "org_unit_id", "Unit"),
  };
  const isOfField = Object.values(problems).some((problem) => problem !== null);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const unit = form.get("org_unit_id");
    const unitId = typeof unit === "string" ? Number(unit) : mailbox.org_unit.id;
    update.mutate({
      name: textOf(form, "name").trim(),
      quota_mb: Number(textOf(form, "quota_mb").replace(/\D/g, "")),
      ...(unitId !== mailbox.org_unit.id && { org_unit_id: unitId }),
    });
  }

  return (
    <Panel title="Name and size">
      <form onSubmit={handleSubmit} method="post" noValidate>
        <Stack gap="md" maw={560}>
          <TextInput
            name="name"
            label="Name"
            defaultValue={mailbox.name}
            error={problems.name}
            maxLength={120}
            autoComplete="off"
          />
          <TextInput
            name="quota_mb"
            label="Size in MB"
            description="From 256 to 51200. Below what it holds, it takes nothing new until mail is deleted."
            defaultValue={mailbox.quota_mb}
            error={problems.quota}
            inputMode="numeric"
            autoComplete="off"
          />
          {options && options.units.length > 1 && (
            <UnitSelect units={options.units} initial={mailbox.org_unit.id} error={problems.unit} />
          )}
          {!isOfField && <FormProblem error={update.error} />}
          <Group gap="xs">
            <Button type="submit" loading={update.isPending}>
              Save changes
            </Button>
            {update.isSuccess && <Text role="status">Saved</Text>}
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
