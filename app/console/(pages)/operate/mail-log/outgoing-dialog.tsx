"use client";

import { Anchor, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { meQuery } from "#app/console/session-queries.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { inPlace } from "#app/console/ui/show-search.ts";
import { Status } from "#app/console/ui/status.tsx";

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
        {entry.why && <Text mt={4}>{entry.why}</Text>}
      </div>
      <Facts>
        {entry.reply && (
          <Fact name={entry.result === "not_sent" ? "Reason" : "Reply"}>
            <Mono value={entry.reply} what="reply" />
          </Fact>
        )}
        <Fact name="Recipient">
          <Mono value={entry.recipient} what="recipient" />
        </Fact>
        <Fact name="Destination">{entry.destination}</Fact>
        <Fact name="Sender">{entry.sender || "Empty sender"}</Fact>
        <Fact name="Company">
          <Anchor component={Link} href={`/console/operate/companies/${entry.company.id}`}>
            {entry.company.name ?? "Deleted company"}
          </Anchor>
        </Fact>
        <Fact name="Origin">{ORIGINS[entry.kind]}</Fact>
        <Fact name="ID">
          <Mono value={entry.parent_id} what="ID" />
        </Fact>
        <Fact name="Time">
          <ExactMoment at={entry.created_at} />
        </Fact>
      </Facts>
      <OutgoingLinks entry={entry} onClose={onClose} />
    </Stack>
  );
}

/** Related pages. Only the company itself can open the email. */
function OutgoingLinks({ entry, onClose }: { entry: OutgoingEntry; onClose: () => void }) {
  const { data: me } = useQuery(meQuery);
  const isOwn = me?.company.id === entry.company.id && me.privileges.includes("api_controls");
  const all = filtersUrl({ tab: "outgoing", message: entry.parent_id });
  return (
    <Group gap="lg">
      <Anchor
        component={Link}
        href={all}
        prefetch={false}
        onNavigate={(event) => {
          inPlace(all)(event);
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
        <Anchor component={Link} href={`/console/emails/${entry.parent_id}`}>
          Open the email
        </Anchor>
      )}
    </Group>
  );
}
