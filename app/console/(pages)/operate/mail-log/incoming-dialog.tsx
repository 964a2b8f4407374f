"use client";

import { Anchor, Stack, Text } from "@mantine/core";
import Link from "next/link";

import { inFull } from "#app/console/ui/charts/numbers.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { ExactMoment } from "#app/console/ui/moment.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { inPlace } from "#app/console/ui/show-search.ts";
import { Status } from "#app/console/ui/status.tsx";

import { filtersUrl } from "./filters-url.ts";
import type { IncomingEntry } from "./queries.ts";
import { KINDS, explainReply } from "./reply-text.ts";

export function IncomingDialog({
  entry,
  onClose,
}: {
  entry: IncomingEntry | null;
  onClose: () => void;
}) {
  return (
    <Modal opened={entry !== null} onClose={onClose} title="SMTP reply" size="lg">
      {entry && <IncomingDetails entry={entry} onClose={onClose} />}
    </Modal>
  );
}

function IncomingDetails({ entry, onClose }: { entry: IncomingEntry; onClose: () => void }) {
  const { meaning, advice } = explainReply(entry.reply);
  return (
    <Stack gap="md">
      <div>
        <Status {...KINDS[entry.kind]} />
        <Text mt={4}>{meaning}</Text>
        {advice && <Text c="dimmed">{advice}</Text>}
      </div>
      <Facts>
        <Fact name="Reply">
          <Mono value={entry.reply} what="reply" />
        </Fact>
        {entry.recipient && (
          <Fact name="Recipient">
            <Mono value={entry.recipient} what="recipient" />
          </Fact>
        )}
        <Fact name="Sender">{entry.sender || "Empty sender"}</Fact>
        <Fact name="Client">
          {entry.client_address ?? "Unknown"}
          {entry.helo && `, HELO ${entry.helo}`}
        </Fact>
        <CompanyFact entry={entry} />
        {entry.size !== null && <Fact name="Size">{inFull(entry.size)} bytes</Fact>}
        {entry.message_id && (
          <Fact name="Message-ID">
            <Mono value={entry.message_id} what="Message-ID" />
          </Fact>
        )}
        <Fact name="Time">
          <ExactMoment at={entry.created_at} />
        </Fact>
      </Facts>
      <DeliveryLink entry={entry} onClose={onClose} />
    </Stack>
  );
}

function CompanyFact({ entry: { company } }: { entry: IncomingEntry }) {
  if (!company) return null;
  return (
    <Fact name="Company">
      <Anchor component={Link} href={`/console/operate/companies/${company.id}`}>
        {company.name ?? "Deleted company"}
      </Anchor>
    </Fact>
  );
}

/** Links an accepted outgoing message to its delivery attempts. */
function DeliveryLink({ entry, onClose }: { entry: IncomingEntry; onClose: () => void }) {
  const id = /^250 .*Taken as (?:email|message) (\S+)/.exec(entry.reply)?.[1];
  if (!id) return null;
  const outgoing = filtersUrl({ tab: "outgoing", message: id });
  return (
    <Anchor
      component={Link}
      href={outgoing}
      prefetch={false}
      onNavigate={(event) => {
        inPlace(outgoing)(event);
        onClose();
      }}
    >
      View delivery attempts
    </Anchor>
  );
}
