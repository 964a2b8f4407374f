import { NativeSelect, Radio, Stack, Text } from "@mantine/core";

import { NoVerifiedDomain } from "#app/console/(pages)/mailboxes/parts.tsx";
import { useRead } from "#app/console/endpoint-queries.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { AddressFields, completeAddress } from "#app/console/ui/address-fields.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";

export function InboundAddressDialog({ onClose }: { onClose: () => void }) {
  const options = useRead("groups.getOptions", {});
  return (
    <Modal opened onClose={onClose} title="Create inbound address">
      <QueryView query={options} noun="your domains" skeleton={<SkeletonLines count={6} />}>
        {({ domains, mainDomain: main }) =>
          main === null ? (
            <NoVerifiedDomain />
          ) : (
            <InboundAddressForm domains={domains} domain={main} onClose={onClose} />
          )
        }
      </QueryView>
    </Modal>
  );
}

type InboundAddressFormProps = { domains: string[]; domain: string; onClose: () => void };

function InboundAddressForm({ domains, domain, onClose }: InboundAddressFormProps) {
  const creation = useChange("inboundAddresses.create", {
    invalidates: ["inboundAddresses", "deletedItems"],
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
      creation.run({
        body: {
          address: kind === "catch_all" ? `*@${domain}` : completeAddress(address, domain),
        },
      }),
    onDone: onClose,
  });
  const isCatchAll = form.values.kind === "catch_all";
  return (
    <Form form={form} submit="Create inbound address" onClose={onClose}>
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
