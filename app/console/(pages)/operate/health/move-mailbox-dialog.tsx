"use client";

import { NativeSelect, Text, TextInput } from "@mantine/core";

import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { type MailHost, useMoveMailbox } from "./mail-host-queries.ts";

type Props = {
  /** To choose from. */
  hosts: Pick<MailHost, "name" | "isRunning">[];
  /** If missing, the form asks for it. */
  address?: string;
};

export function MoveMailboxDialog({
  isOpen,
  onClose,
  ...form
}: Props & { isOpen: boolean; onClose: () => void }) {
  const title = form.address ? `Move ${form.address}` : "Move mailbox";
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <MoveMailboxForm onClose={onClose} {...form} />
    </Modal>
  );
}

function MoveMailboxForm({ hosts, address, onClose }: Props & { onClose: () => void }) {
  const move = useMoveMailbox();
  const form = useForm({
    initialValues: { address: address ?? "", mailHost: hosts[0]?.name ?? "" },
    labels: { address: "Mailbox", mailHost: "Mail host" },
    checks: { address: required },
    draft: null,
    send: ({ address, mailHost }) => move.run({ address, host: mailHost }),
    onDone({ id, move }, { mailHost: host }) {
      onClose();
      toast(move ? `Moving ${id} to ${move.to}` : `${id} is on ${host}`);
    },
  });

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Move mailbox
        </DialogActions>
      }
    >
      <Text>
        The mailbox stays in use while its mail is copied. Then mail apps reconnect once. Messages,
        flags, folders and filters stay as they are.
      </Text>
      {address === undefined && (
        <TextInput
          {...form.field("address")}
          placeholder="ann@example.com"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          data-autofocus
        />
      )}
      <NativeSelect
        {...form.field("mailHost")}
        data={hosts.map(({ name, isRunning }) => ({
          value: name,
          label: isRunning ? name : `${name} (not responding)`,
        }))}
        {...(address !== undefined && { "data-autofocus": true })}
      />
    </Form>
  );
}
