"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { useRestorableUntil } from "#app/console/(pages)/deleted/restorable-until.ts";
import { restoreItem } from "#app/console/(pages)/deleted/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

import { deleteAddress, INBOUND_ADDRESS_KEYS, inboundAddressesQuery } from "./queries.ts";

export function InboundAddresses({ canDelete }: { canDelete: boolean }) {
  const addresses = useQuery(inboundAddressesQuery);
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
  const deletion = useAction<string, Awaited<ReturnType<typeof deleteAddress>>>({
    call: deleteAddress,
    invalidates: INBOUND_ADDRESS_KEYS,
    success: (_, address) => `${address} deleted`,
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
      onConfirm={() => deletion.run(shown)}
    >
      Mail to it will be rejected. Emails that it received stay until their retention ends.{" "}
      {restorable}
    </ConfirmDialog>
  );
}
