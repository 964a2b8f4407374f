"use client";

import { Group, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";

import { useRestorableUntil } from "#app/console/(pages)/deleted/restore.ts";
import { DangerousAction } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SavedStatus, SubmitButton } from "#app/console/ui/form/form.tsx";
import { changedValues, useForm } from "#app/console/ui/form/use-form.ts";
import { formatBytes, formatCount, pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/universal/mailbox-sizes.ts";

import { parseSizeMb, SIZE_HELP } from "./labels.ts";
import { UnitSelect } from "./parts.tsx";
import {
  type MailboxDetail,
  type MailboxOptions,
  mailboxOptionsQuery,
  useDeleteMailbox,
  useUpdateMailbox,
} from "./queries.ts";

const toFields = ({ name, quotaMb: size, orgUnit: unit }: MailboxDetail) => ({
  name,
  quotaMb: String(size),
  orgUnitId: String(unit.id),
});

/** Sends only the fields that were edited, so that concurrent edits by another admin aren't overwritten. */
export function MailboxSettingsForm({ mailbox }: { mailbox: MailboxDetail }) {
  const update = useUpdateMailbox(mailbox.id);
  const { data: options } = useQuery(mailboxOptionsQuery);
  const units = options?.units.filter((unit) => unit.mayUpdate) ?? [];
  const form = useForm({
    initialValues: toFields(mailbox),
    labels: { name: "Name", quotaMb: "Storage limit", orgUnitId: "Unit" },
    checks: { name: required, quotaMb: required },
    draft: `mailbox-settings-${mailbox.id}`,
    send(values) {
      const { name, quotaMb, orgUnitId } = changedValues(values, toFields(mailbox));
      return update.run({
        ...(name !== undefined && { name }),
        ...(quotaMb !== undefined && { quotaMb: parseSizeMb(quotaMb) ?? 0 }),
        ...(orgUnitId !== undefined && { orgUnitId: Number(orgUnitId) }),
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
              {savedMessage(update.answer, update.variables?.quotaMb)}
            </SavedStatus>
          </Group>
        }
      >
        <TextInput {...form.field("name")} maxLength={120} autoComplete="off" />
        <TextInput
          {...form.field("quotaMb")}
          label="Storage limit in MB"
          description={sizeHelp(options)}
          inputMode="numeric"
          autoComplete="off"
        />
        {units.length > 1 && (
          <UnitSelect
            units={units}
            value={form.values.orgUnitId}
            onChange={(unit) => form.set("orgUnitId", unit)}
            error={form.errors["orgUnitId"] ?? null}
          />
        )}
      </Form>
    </Panel>
  );
}

function sizeHelp(options: MailboxOptions | undefined): string {
  const most = options?.quotaMbMax ?? null;
  const bounds = `From ${QUOTA_MB_MIN} to ${formatCount(Math.min(most ?? QUOTA_MB_MAX, QUOTA_MB_MAX))}.`;
  return `${bounds} ${SIZE_HELP} If it’s less than the space used, the mailbox can’t receive mail until some is deleted.`;
}

/** Tells the admin when the plan limited the size. */
function savedMessage(saved: MailboxDetail | undefined, asked: number | undefined): string {
  if (!saved) return "";
  if (asked === undefined || saved.quotaMb === asked) return "Saved";
  return `Saved with ${formatCount(saved.quotaMb)} MB, the most your plan allows`;
}

/** Shown to owners only. */
export function DeleteMailbox({ mailbox }: { mailbox: MailboxDetail }) {
  const router = useRouter();
  const deletion = useDeleteMailbox(mailbox.id);
  const consequences = describeConsequences(mailbox);
  const restorable = useRestorableUntil();

  return (
    <DangerousAction
      title="Delete this mailbox"
      action="Delete mailbox"
      description={
        <>
          {consequences} {restorable} To block access and still receive mail, suspend the mailbox
          instead.
        </>
      }
      question={`Delete ${mailbox.id}?`}
      typeToConfirm={mailbox.id}
      leavesPage
      onConfirm={async () => {
        await deletion.run();
        router.replace("/console/mailboxes");
      }}
    >
      {consequences} {restorable} Until then its addresses can’t be used for anything else.
    </DangerousAction>
  );
}

function describeConsequences({
  messages,
  usedBytes: bytes,
  aliases,
  groups,
}: MailboxDetail): string {
  return [
    messages === 0
      ? "The mailbox user is signed out everywhere."
      : `The mailbox user is signed out everywhere and loses access to ${pluralize(messages, "message")} (${formatBytes(bytes)}).`,
    aliases.length > 0 &&
      `Mail to it and its ${pluralize(aliases.length, "alias", "aliases")} will be rejected.`,
    aliases.length === 0 && "Mail to it will be rejected.",
    groups.length > 0 &&
      `Its address stays in ${pluralize(groups.length, "group", "groups")} until you remove it there.`,
  ]
    .filter(Boolean)
    .join(" ");
}
