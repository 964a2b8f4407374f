"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import { SIZE_HELP, parseSizeMb } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";
import {
  type MailboxDetail,
  type MailboxOptions,
  mailboxOptionsQuery,
  useUpdateMailbox,
} from "#app/console/(pages)/mailboxes/queries.ts";
import { UnitSelect } from "#app/console/(pages)/mailboxes/unit-select.tsx";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";

const toFields = ({ name, quota_mb: size, org_unit: unit }: MailboxDetail) => ({
  ...{ name, size: String(size), unit: String(unit.id) },
});

type Fields = ReturnType<typeof toFields>;

/**
 * Sends only the fields that were edited; the others follow the server, so that concurrent edits by
 * another admin aren't overwritten.
 */
export function MailboxSettingsForm({ mailbox }: { mailbox: MailboxDetail }) {
  const update = useUpdateMailbox(mailbox.id);
  const { data: options } = useQuery(mailboxOptionsQuery);
  const [typed, setTyped] = useState<Partial<Fields>>({});
  const fields = { ...toFields(mailbox), ...typed };
  const units = options?.units.filter((unit) => unit.may_update) ?? [];
  const problems = {
    name: fieldError(update.error, "name", "Name"),
    quota: fieldError(update.error, "quota_mb", "Storage limit"),
    unit: fieldError(update.error, "org_unit_id", "Unit"),
  };
  const isOfField = Object.values(problems).some((problem) => problem !== null);

  function change(field: Partial<Fields>) {
    setTyped({ ...typed, ...field });
    if (update.isSuccess) update.reset();
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (update.isPending) return;
    update.mutate(
      {
        ...(typed.name !== undefined && { name: typed.name.trim() }),
        ...(typed.size !== undefined && { quota_mb: parseSizeMb(typed.size) ?? 0 }),
        ...(typed.unit !== undefined && { org_unit_id: Number(typed.unit) }),
      },
      { onSuccess: () => setTyped({}) },
    );
  }

  return (
    <Panel title="Name, storage limit, and unit">
      <form onSubmit={handleSubmit} method="post" noValidate>
        <Stack gap="md" maw={560}>
          <TextInput
            name="name"
            label="Name"
            value={fields.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            error={problems.name}
            maxLength={120}
            autoComplete="off"
          />
          <TextInput
            name="quota_mb"
            label="Storage limit in MB"
            description={sizeHelp(options)}
            value={fields.size}
            onChange={(event) => change({ size: event.currentTarget.value })}
            error={problems.quota}
            inputMode="numeric"
            autoComplete="off"
          />
          {units.length > 1 && (
            <UnitSelect
              units={units}
              value={fields.unit}
              onChange={(unit) => change({ unit })}
              error={problems.unit}
            />
          )}
          {!isOfField && <FormError error={update.error} />}
          <Group gap="xs">
            <Button type="submit" aria-busy={update.isPending}>
              Save changes
            </Button>
            <Text role="status">{savedMessage(update.data, update.variables?.quota_mb)}</Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

function sizeHelp(options: MailboxOptions | undefined): string {
  const most = options?.quota_mb_max ?? null;
  const bounds = `From 256 to ${formatCount(Math.min(most ?? 51_200, 51_200))}.`;
  return `${bounds} ${SIZE_HELP} If it’s less than the space used, the mailbox can’t receive mail until some is deleted.`;
}

/** Tells the admin when the plan limited the size. */
function savedMessage(saved: MailboxDetail | undefined, asked: number | undefined): string {
  if (!saved) return "";
  if (asked === undefined || saved.quota_mb === asked) return "Saved";
  return `Saved with ${formatCount(saved.quota_mb)} MB, the most your plan allows`;
}
