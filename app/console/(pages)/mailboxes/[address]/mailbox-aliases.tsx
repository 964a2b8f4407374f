"use client";

import { Button, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";

import {
  type MailboxDetail,
  useAddAlias,
  useRemoveAlias,
} from "#app/console/(pages)/mailboxes/queries.ts";
import { completeAddress } from "#app/console/ui/address-fields.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./mailbox-aliases.module.css";

export function MailboxAliases({ mailbox }: { mailbox: MailboxDetail }) {
  const [leaving, setLeaving] = useState("");
  const removal = useRemoveAlias(mailbox.id);
  const [isOpen, dialog] = useDisclosure();

  function askAbout(alias: string) {
    setLeaving(alias);
    dialog.open();
  }

  return (
    <Panel title="Aliases">
      <Text c="dimmed" mb="md">
        Mail to these addresses is delivered to this mailbox, and the mailbox user can send from
        them. To also receive mail to addresses that don’t exist, add the catch-all{" "}
        <code>{`*@${mailbox.domain}`}</code>. It can’t be sent from.
      </Text>
      {mailbox.aliases.length === 0 ? (
        <Text mb="md">No aliases.</Text>
      ) : (
        <ul className={classes.list}>
          {mailbox.aliases.map((alias) => (
            <li key={alias} className={classes.alias}>
              <CopyableValue value={alias} label="alias" />
              {alias.startsWith("*@") && (
                <Text span c="dimmed">
                  Catch-all
                </Text>
              )}
              {mailbox.may.update && (
                <Button
                  variant="subtle"
                  size="compact-sm"
                  aria-label={`Remove ${alias}`}
                  onClick={() => askAbout(alias)}
                >
                  Remove
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mailbox.may.update && <AddAlias mailbox={mailbox} />}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Remove ${leaving}?`}
        confirmLabel="Remove alias"
        onConfirm={() => removal.run(leaving)}
      >
        Mail to this alias will be rejected. Messages already received stay. You can add the address
        to any mailbox again.
      </ConfirmDialog>
    </Panel>
  );
}

function AddAlias({ mailbox }: { mailbox: MailboxDetail }) {
  const addition = useAddAlias(mailbox.id);
  const form = useForm({
    initialValues: { address: "" },
    labels: { address: "Address" },
    checks: { address: required },
    draft: `new-alias-${mailbox.id}`,
    send: ({ address }) => addition.mutateAsync(completeAddress(address, mailbox.domain)),
    clearsOnDone: true,
  });

  return (
    <Form
      form={form}
      actions={
        <div>
          <SubmitButton form={form} variant="default">
            Add alias
          </SubmitButton>
        </div>
      }
    >
      <TextInput
        {...form.field("address")}
        label={undefined}
        aria-label="New alias"
        placeholder={`sales@${mailbox.domain}`}
        size="sm"
        type="email"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className={classes.field}
      />
    </Form>
  );
}
