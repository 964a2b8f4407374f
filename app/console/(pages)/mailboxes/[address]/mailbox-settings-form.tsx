"use client";

import { Group, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { SIZE_HELP, parseSizeMb } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";
import {
  type MailboxDetail,
  type MailboxOptions,
  mailboxOptionsQuery,
  useUpdateMailbox,
} from "#app/console/(pages)/mailboxes/queries.ts";
import { UnitSelect } from "#app/console/(pages)/mailboxes/unit-select.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SavedStatus, SubmitButton } from "#app/console/ui/form/form.tsx";
import { changedValues } from "#app/console/ui/form/form-values.ts";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { formatCount } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/universal/mailbox-sizes.ts";

const toFields = ({ name, quota_mb: size, org_unit: unit }: MailboxDetail) => ({
  ...{ name, quota_mb: String(size), org_unit_id: String(unit.id) },
});

/** Sends only the fields that were edited, so that concurrent edits by another admin aren't overwritten. */
export function MailboxSettingsForm({ mailbox }: { mailbox: MailboxDetail }) {
  const update = useUpdateMailbox(mailbox.id);
  const { data: options } = useQuery(mailboxOptionsQuery);
  const units = options?.units.filter((unit) => unit.may_update) ?? [];
  const form = useForm({
    initialValues: toFields(mailbox),
    labels: { name: "Name", quota_mb: "Storage limit", org_unit_id: "Unit" },
    checks: { name: required, quota_mb: required },
    draft: `mailbox-settings-${mailbox.id}`,
    send(values) {
      const { name, quota_mb, org_unit_id } = changedValues(values, toFields(mailbox));
      return update.run({
        ...(name !== undefined && { name }),
        ...(quota_mb !== undefined && { quota_mb: parseSizeMb(quota_mb) ?? 0 }),
        ...(org_unit_id !== undefined && { org_unit_id: Number(org_unit_id) }),
      });
    },
    stored: toFields,
    followsServer: true,
  });

  return (
    <Panel title="Name, storage limit, and unit">
      <Form
        form={form}
        maxWidth={560}
        actions={
          <Group gap="xs">
            <SubmitButton form={form}>Save changes</SubmitButton>
            <SavedStatus form={form}>
              {savedMessage(update.answer, update.variables?.quota_mb)}
            </SavedStatus>
          </Group>
        }
      >
        <TextInput {...form.field("name")} maxLength={120} autoComplete="off" />
        <TextInput
          {...form.field("quota_mb")}
          label="Storage limit in MB"
          description={sizeHelp(options)}
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
    </Panel>
  );
}

function sizeHelp(options: MailboxOptions | undefined): string {
  const most = options?.quota_mb_max ?? null;
  const bounds = `From ${QUOTA_MB_MIN} to ${formatCount(Math.min(most ?? QUOTA_MB_MAX, QUOTA_MB_MAX))}.`;
  return `${bounds} ${SIZE_HELP} If it’s less than the space used, the mailbox can’t receive mail until some is deleted.`;
}

/** Tells the admin when the plan limited the size. */
function savedMessage(saved: MailboxDetail | undefined, asked: number | undefined): string {
  if (!saved) return "";
  if (asked === undefined || saved.quota_mb === asked) return "Saved";
  return `Saved with ${formatCount(saved.quota_mb)} MB, the most your plan allows`;
}
