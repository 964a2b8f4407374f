"use client";

import { Checkbox, TextInput } from "@mantine/core";
import { useState } from "react";

import { toast, useChange } from "#app/console/ui/actions.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { looksLikeAddress } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

/** For erasure requests from people outside the appliance, such as newsletter recipients. */
export function ErasePerson() {
  const [isAsking, setIsAsking] = useState(false);
  const erase = useChange("operate.erasePerson");
  const form = useForm({
    initialValues: { address: "", keepSuppressions: true },
    labels: { address: "Email address" },
    checks: { address: looksLikeAddress },
    draft: null,
    // The dialog sends the request.
    send() {
      setIsAsking(true);
      return Promise.resolve();
    },
    stored: () => null,
  });
  const { keepSuppressions } = form.values;
  const address = form.values.address.trim();

  async function handleConfirm() {
    const { pseudonym } = await erase.run({ body: { address, keepSuppressions } });
    form.reset();
    toast(`Data erased. The address now appears as ${pseudonym}.`);
  }

  return (
    <>
      <PageHeader
        title="Data erasure"
        description="Erase the data of someone outside this server, in all companies: the content of emails to and from them is deleted, and their address in histories and logs is replaced. Mail in mailboxes isn’t affected."
      />
      <Panel>
        <Form form={form} maxWidth={480} submit="Erase data" isSecondary>
          <TextInput {...form.field("address")} autoComplete="off" />
          <Checkbox
            label="Keep the address suppressed, so it receives no more email"
            checked={keepSuppressions}
            onChange={(event) => form.set("keepSuppressions", event.currentTarget.checked)}
          />
        </Form>
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
    </>
  );
}
