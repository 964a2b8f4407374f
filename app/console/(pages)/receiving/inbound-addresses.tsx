"use client";

import { Button, NativeSelect, Radio, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";

import { restoreItem, useRestorableUntil } from "#app/console/(pages)/deleted/restore.ts";
import { NoVerifiedDomain } from "#app/console/(pages)/mailboxes/parts.tsx";
import { useRead } from "#app/console/endpoint-queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { AddressFields, completeAddress } from "#app/console/ui/address-fields.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmDialog, Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

const CHANGED = ["inboundAddresses", "deletedItems"] as const;

export function InboundAddresses({ canDelete }: { canDelete: boolean }) {
  const addresses = useRead("inboundAddresses.list", {});
  const [leaving, setLeaving] = useState<string | null>(null);
  return (
    <Panel title="Inbound addresses">
      <QueryView
        query={addresses}
        noun="the inbound addresses"
        skeleton={<SkeletonLines count={2} />}
      >
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">
              None yet. An inbound address, or a catch-all for a whole domain, turns mail into
              events for your programs.
            </Text>
          ) : (
            <ItemList label="Inbound addresses">
              {data.map(({ address, createdAt: at }) => (
                <ItemRow
                  key={address}
                  title={<CopyableValue value={address} label="address" />}
                  actions={
                    canDelete && (
                      <Button
                        variant="subtle"
                        size="compact-sm"
                        aria-label={`Delete ${address}`}
                        onClick={() => setLeaving(address)}
                      >
                        Delete
                      </Button>
                    )
                  }
                >
                  {address.startsWith("*@") &&
                    "Catch-all: receives mail to addresses that don’t exist. "}
                  Created <RelativeTime at={at} />
                </ItemRow>
              ))}
            </ItemList>
          )
        }
      </QueryView>
      <DeleteInboundAddress address={leaving} onClose={() => setLeaving(null)} />
    </Panel>
  );
}

/** The dialog that deletes an inbound address, open while there is one. */
function DeleteInboundAddress({
  address,
  onClose,
}: {
  address: string | null;
  onClose: () => void;
}) {
  const { isOwner } = usePrivileges();
  const restorable = useRestorableUntil();
  const deletion = useChange("inboundAddresses.delete", {
    invalidates: CHANGED,
    success: (_, { params }) => `${params.address} deleted`,
    ...(isOwner && { undo: (_, { deletedId: id }) => restoreItem(id) }),
  });
  // Kept while the dialog closes.
  const [shown, setShown] = useState(address);
  if (address !== null && address !== shown) setShown(address);
  if (shown === null) return null;
  return (
    <ConfirmDialog
      isOpen={address !== null}
      onClose={onClose}
      title={`Delete ${shown}?`}
      confirmLabel="Delete address"
      onConfirm={() => deletion.run({ params: { address: shown } })}
    >
      Mail to it will be rejected. Emails that it received stay until their retention ends.{" "}
      {restorable}
    </ConfirmDialog>
  );
}

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
  const options = useRead("groups.getOptions", {});
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
  const creation = useChange("inboundAddresses.create", {
    invalidates: CHANGED,
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
