"use client";

import { Anchor, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { meQuery } from "#app/console/session-queries.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { navigateInPlace } from "#app/console/ui/url-search.ts";
import { Status } from "#app/console/ui/status.tsx";
import { typographic } from "#app/console/ui/format.ts";

import { filtersUrl } from "./filters-url.ts";
import type { OutgoingEntry } from "./queries.ts";
import { ORIGINS, RESULTS } from "./reply-text.ts";

export function OutgoingDialog({
  entry,
  onClose,
}: {
  entry: OutgoingEntry | null;
  onClose: () => void;
}) {
  return (
    <Modal opened={entry !== null} onClose={onClose} title="Delivery attempt" size="lg">
      {entry && <OutgoingDetails entry={entry} onClose={onClose} />}
    </Modal>
  );
}

function OutgoingDetails({ entry, onClose }: { entry: OutgoingEntry; onClose: () => void }) {
  return (
    <Stack gap="md">
      <div>
        <Status {...RESULTS[entry.result]} />
        {entry.why && <Text mt={4}>{typographic(entry.why)}</Text>}
      </div>
      <DescriptionList>
        {entry.reply && (
          <DescriptionItem label={entry.result === "not_sent" ? "Reason" : "Reply"}>
            <CopyableValue value={entry.reply} label="reply" />
          </DescriptionItem>
        )}
        {entry.tls && <DescriptionItem label="Encryption">{entry.tls}</DescriptionItem>}
        <DescriptionItem label="Recipient">
          <CopyableValue value={entry.recipient} label="recipient" />
        </DescriptionItem>
        <DescriptionItem label="Destination">{entry.destination}</DescriptionItem>
        <DescriptionItem label="Sender">{entry.sender || "Empty sender"}</DescriptionItem>
        <DescriptionItem label="Company">
          <Anchor component={Link} href={`/console/operate/companies/${entry.company.id}`}>
            {entry.company.name ?? "Deleted company"}
          </Anchor>
        </DescriptionItem>
        <DescriptionItem label="Origin">{ORIGINS[entry.kind]}</DescriptionItem>
        <DescriptionItem label="ID">
          <CopyableValue value={entry.parentId} label="ID" />
        </DescriptionItem>
        <DescriptionItem label="Time">
          <ExactTime at={entry.createdAt} />
        </DescriptionItem>
      </DescriptionList>
      <OutgoingLinks entry={entry} onClose={onClose} />
    </Stack>
  );
}

/** Related pages. Only the company itself can open the email. */
function OutgoingLinks({ entry, onClose }: { entry: OutgoingEntry; onClose: () => void }) {
  const { data: me } = useQuery(meQuery);
  const isOwn = me?.company.id === entry.company.id && me.privileges.includes("api_controls");
  const all = filtersUrl({ tab: "outgoing", message: entry.parentId });
  return (
    <Group gap="lg">
      <Anchor
        component={Link}
        href={all}
        prefetch={false}
        onNavigate={(event) => {
          navigateInPlace(all)(event);
          onClose();
        }}
      >
        View all attempts for this message
      </Anchor>
      {entry.result === "delayed" && (
        <Anchor
          component={Link}
          href={`/console/operate/queue?kind=destination&subject=${encodeURIComponent(entry.destination)}`}
        >
          View queued mail to {entry.destination}
        </Anchor>
      )}
      {entry.kind === "email" && isOwn && (
        <Anchor component={Link} href={`/console/emails/${entry.parentId}`}>
          Open the email
        </Anchor>
      )}
    </Group>
  );
}
