"use client";

import { Button, Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { useErasePerson } from "./queries.ts";

/** For erasure requests from people outside the appliance, such as newsletter recipients. */
export function ErasePerson() {
  const [address, setAddress] = useState("");
  const [keepsSuppressions, setKeepsSuppressions] = useState(true);
  const [isAsking, setIsAsking] = useState(false);
  const erase = useErasePerson();

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    setIsAsking(address.trim() !== "");
  }
  async function handleConfirm() {
    const body = { address, keepSuppressions: keepsSuppressions };
    const { pseudonym } = await erase.mutateAsync(body);
    setAddress("");
    toast(`Data erased. The address now appears as ${pseudonym}.`);
  }

  return (
    <Panel title="Erase a person’s data">
      <form onSubmit={handleSubmit} method="post">
        <Stack gap="sm" align="flex-start">
          <Text c="dimmed">
            Deletes the content of emails to and from someone outside this server and replaces their
            address in histories and logs, in all companies. Mail in mailboxes isn’t affected.
          </Text>
          <TextInput
            label="Email address"
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
            autoComplete="off"
          />
          <Checkbox
            label="Keep the address suppressed, so it receives no more email"
            checked={keepsSuppressions}
            onChange={(event) => setKeepsSuppressions(event.currentTarget.checked)}
          />
          <Button type="submit" variant="default">
            Erase data
          </Button>
        </Stack>
      </form>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={`Erase the data of ${address}?`}
        confirmLabel="Erase data"
        onConfirm={handleConfirm}
      >
        This can’t be undone.
      </ConfirmDialog>
    </Panel>
  );
}
