import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { useRestorableUntil } from "#app/console/(pages)/deleted/restore.ts";
import { usePrivileges } from "#app/console/session.ts";
import { completeAddress } from "#app/console/ui/address-fields.tsx";
import { DangerousAction, Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SavedStatus } from "#app/console/ui/form/form.tsx";
import { changedValues, useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";
import { formatBytes, formatCount, pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/universal/mailbox-sizes.ts";

import { DeliverToField } from "./deliver-to-field.tsx";
import { mailboxUrl, parseSizeMb, SIZE_HELP } from "./labels.ts";
import { SuspendMailbox } from "./leaving.tsx";
import { UnitSelect } from "./parts.tsx";
import {
  type MailboxDetail,
  type MailboxOptions,
  mailboxOptionsQuery,
  useDeleteMailbox,
  useRenameMailbox,
  useUpdateMailbox,
} from "./queries.ts";

export function MailboxSettings({ mailbox }: { mailbox: MailboxDetail }) {
  const { isOwner } = usePrivileges();
  return (
    <Stack gap="md">
      {mailbox.may.update && <MailboxSettingsForm mailbox={mailbox} />}
      {mailbox.may.update && mailbox.may.reset_password && <RenameMailbox mailbox={mailbox} />}
      {mailbox.may.suspend && <SuspendMailbox mailbox={mailbox} />}
      {isOwner && <DeleteMailbox mailbox={mailbox} />}
    </Stack>
  );
}

const toFields = ({ name, quotaMb: size, orgUnit: unit }: MailboxDetail) => ({
  name,
  quotaMb: String(size),
  orgUnitId: String(unit.id),
});

/** Sends only the fields that were edited, so that concurrent edits by another admin aren't overwritten. */
function MailboxSettingsForm({ mailbox }: { mailbox: MailboxDetail }) {
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
        submit="Save changes"
        beside={
          <SavedStatus form={form}>
            {savedMessage(update.answer, update.variables?.quotaMb)}
          </SavedStatus>
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

function RenameMailbox({ mailbox }: { mailbox: MailboxDetail }) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <Panel title="Address">
      <Text c="dimmed" mb="md">
        {mailbox.id} becomes an alias of the new address. Mail, rules, shares, groups, and app
        passwords are kept.
      </Text>
      <Button variant="default" onClick={dialog.open}>
        Change address
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Change this mailbox’s address">
        <RenameForm mailbox={mailbox} onClose={dialog.close} />
      </Modal>
    </Panel>
  );
}

function RenameForm({ mailbox, onClose }: { mailbox: MailboxDetail; onClose: () => void }) {
  const router = useRouter();
  const rename = useRenameMailbox(mailbox.id);
  const form = useForm({
    initialValues: { address: "" },
    labels: { address: "New address" },
    checks: { address: required },
    draft: `rename-${mailbox.id}`,
    send: ({ address }) => rename.run(completeAddress(address, mailbox.domain)),
    onDone: ({ id }) => router.replace(`${mailboxUrl(id)}?tab=settings`),
    leavesPage: true,
  });
  return (
    <Form form={form} submit="Change address" onClose={onClose}>
      <TextInput
        {...form.field("address")}
        placeholder={`ann.marsh@${mailbox.domain}`}
        {...VERBATIM}
      />
      <Text size="sm" c="dimmed">
        Mail apps reconnect once and keep working with the old username. They send from the old
        address until the mailbox user changes it there. Logs keep the old address.
      </Text>
    </Form>
  );
}

/** Shown to owners only. */
function DeleteMailbox({ mailbox }: { mailbox: MailboxDetail }) {
  const router = useRouter();
  const deletion = useDeleteMailbox(mailbox.id);
  const [deliverTo, setDeliverTo] = useState("");
  const consequences = describeConsequences(mailbox, deliverTo);
  const restorable = useRestorableUntil();

  return (
    <DangerousAction
      title="Delete this mailbox"
      action="Delete mailbox"
      description={
        <>
          {describeConsequences(mailbox, "")} {restorable} You can have its mail delivered to
          another mailbox. To block access and still receive mail, suspend the mailbox instead.
        </>
      }
      question={`Delete ${mailbox.id}?`}
      typeToConfirm={mailbox.id}
      leavesPage
      onConfirm={async () => {
        await deletion.run(deliverTo);
        router.replace("/console/mailboxes");
      }}
    >
      <Text mb="md">
        {consequences} {restorable}{" "}
        {deliverTo === ""
          ? "Until then its addresses can’t be used for anything else."
          : `If you don’t restore it, ${deliverTo} keeps its addresses.`}
      </Text>
      <DeliverToField value={deliverTo} onChange={setDeliverTo} />
    </DangerousAction>
  );
}

function describeConsequences(
  { messages, usedBytes: bytes, aliases, groups }: MailboxDetail,
  deliverTo: string,
): string {
  const direct = groups.filter(({ isMember }) => isMember);
  const addresses =
    aliases.length === 0 ? "it" : `it and its ${pluralize(aliases.length, "alias", "aliases")}`;
  return [
    messages === 0
      ? "The mailbox user is signed out everywhere."
      : `The mailbox user is signed out everywhere and loses access to ${pluralize(messages, "message")} (${formatBytes(bytes)}).`,
    deliverTo === ""
      ? `Mail to ${addresses} will be rejected.`
      : `Mail to ${addresses} goes to ${deliverTo}${direct.length > 0 ? `, which also takes its place in ${pluralize(direct.length, "group", "groups")}` : ""}.`,
    deliverTo === "" &&
      direct.length > 0 &&
      `Its address stays in ${pluralize(direct.length, "group", "groups")} until you remove it there.`,
  ]
    .filter(Boolean)
    .join(" ");
}
