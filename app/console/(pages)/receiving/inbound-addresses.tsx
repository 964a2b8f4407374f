import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";

import { restoreItem, useRestorableUntil } from "#app/console/(pages)/deleted/restore.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";

const InboundAddressDialog = onDemand(() =>
  import("./inbound-address-dialog.tsx").then((module) => module.InboundAddressDialog),
);

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

type DeleteInboundAddressProps = { address: string | null; onClose: () => void };

/** The dialog that deletes an inbound address, open while there is one. */
function DeleteInboundAddress({ address, onClose }: DeleteInboundAddressProps) {
  const { isOwner } = usePrivileges();
  const restorable = useRestorableUntil();
  const deletion = useChange("inboundAddresses.delete", {
    invalidates: ["inboundAddresses", "deletedItems"],
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
      {isOpen && <InboundAddressDialog onClose={dialog.close} />}
    </>
  );
}
