"use client";

import { Button, NativeSelect, Radio, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { groupOptionsQuery } from "#app/console/(pages)/groups/queries.ts";
import { NoVerifiedDomain } from "#app/console/(pages)/mailboxes/no-mailboxes.tsx";
import { AddressFields, completeAddress } from "#app/console/ui/addresses.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

import { INBOUND_ADDRESS_KEYS, sendNewAddress } from "./queries.ts";

export function CreateInboundAddress() {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button onClick={dialog.open}>Create inbound address</Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Create inbound address">
        <InboundAddressDialog onClose={dialog.close} />
      </Modal>
    </>
  );
}

function InboundAddressDialog({ onClose }: { onClose: () => void }) {
  const options = useQuery(groupOptionsQuery);
  return (
    <QueryView query={options} noun="your domains" skeleton={<SkeletonLines count={6} />}>
      {({ domains, mainDomain: main }) =>
        main === null ? (
          <NoVerifiedDomain />
        ) : (
          <InboundAddressForm domains={domains} domain={main} onClose={onClose} />
        )
      }
    </QueryView>
  );
}

function InboundAddressForm({
  domains,
  domain,
  onClose,
}: {
  domains: string[];
  domain: string;
  onClose: () => void;
}) {
  const creation = useAction({
    call: sendNewAddress,
    invalidates: INBOUND_ADDRESS_KEYS,
    success: ({ address }) => `${address} created`,
  });
  const form = useForm({
    initialValues: { kind: "address", address: "", domain },
    labels: { kind: "Receives mail to", address: "Address", domain: "Domain" },
    checks: {
      address: (value, values) => (values.kind === "address" ? required(value, values) : null),
    },
    draft: "new-inbound-address",
    send: ({ kind, address, domain }) =>
      creation.run(kind === "catch_all" ? `*@${domain}` : completeAddress(address, domain)),
    onDone: onClose,
  });
  const isCatchAll = form.values.kind === "catch_all";
  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Create inbound address
        </DialogActions>
      }
    >
      <Radio.Group {...form.field("kind")}>
        <Stack gap="xs" mt="xs">
          <Radio value="address" label="One address" />
          <Radio value="catch_all" label="Catch-all: all addresses of a domain that don’t exist" />
        </Stack>
      </Radio.Group>
      {isCatchAll ? (
        <>
          <NativeSelect
            {...form.field("domain")}
            data={domains.map((name) => ({ value: name, label: `*@${name}` }))}
          />
          <Text size="sm" c="dimmed">
            Use a subdomain, such as reply.example.com. Mailboxes, aliases, and groups at the domain
            keep their mail, but misspelled addresses no longer bounce.
          </Text>
        </>
      ) : (
        <AddressFields
          address={form.field("address")}
          domain={form.field("domain")}
          domains={domains}
          placeholder="support"
        />
      )}
    </Form>
  );
}
