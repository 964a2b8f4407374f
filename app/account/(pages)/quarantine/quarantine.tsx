"use client";

import { Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import {
  ownQuarantineQuery,
  type QuarantineAnswer,
  type QuarantineEntry,
  useReleaseOwn,
} from "#app/account/queries.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { EmptyState, Panel } from "#app/console/ui/panel.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

export function AccountQuarantine() {
  const quarantine = useQuery(ownQuarantineQuery);
  return (
    <>
      <PageHeader
        title="Quarantine"
        description="Messages to you that look like spam or contain a virus. They’re deleted 30 days after they arrived."
      />
      <QueryView query={quarantine} noun="your quarantine" skeleton={<Skeleton height={200} />}>
        {(quarantine) => <QuarantinedMessages quarantine={quarantine} />}
      </QueryView>
    </>
  );
}

function QuarantinedMessages({ quarantine }: { quarantine: QuarantineAnswer }) {
  const release = useReleaseOwn();
  const [asked, setAsked] = useState<QuarantineEntry | null>(null);
  if (!quarantine.isVisible)
    return (
      <EmptyState title="Your quarantine isn’t available">
        <Text>
          Your company’s admins review quarantined messages. Ask them if you’re missing one.
        </Text>
      </EmptyState>
    );
  if (quarantine.data.length === 0)
    return (
      <EmptyState title="No messages in quarantine">
        <Text>Messages that are kept from your inbox will appear here.</Text>
      </EmptyState>
    );
  return (
    <Panel>
      <ItemList label="Quarantined messages, newest first">
        {quarantine.data.map((message) => (
          <ItemRow
            key={message.id}
            title={message.subject || "(no subject)"}
            actions={
              message.canRelease && (
                <Button
                  variant="default"
                  aria-label={`Release ${message.subject || "message"}`}
                  onClick={() => setAsked(message)}
                >
                  Release
                </Button>
              )
            }
          >
            From {message.from || "(no sender)"}, <RelativeTime at={message.createdAt} />.{" "}
            {describeReason(message)}
          </ItemRow>
        ))}
      </ItemList>
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title="Release this message?"
        confirmLabel="Release message"
        isHarmless
        onConfirm={() => release.run(asked!)}
      >
        “{asked?.subject || "(no subject)"}” from {asked?.from || "(no sender)"} looks like spam.
        Release it only if you know the sender and expected it.
      </ConfirmDialog>
    </Panel>
  );
}

function describeReason({ reason, canRelease }: QuarantineEntry): string {
  if (reason === "virus") return "Contains a virus; only an admin can release it.";
  return canRelease ? "Looks like spam." : "Looks like spam; only an admin can release it.";
}
