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

/** One answer: what it means, what to do, and all that is known of who got it. */
export function IncomingDialog({
  entry,
  onClose,
}: {
  entry: IncomingEntry | null;
  onClose: () => void;
}) {
  return (
    <Modal opened={entry !== null} onClose={onClose} title="What was answered" size="lg">
      {entry && <IncomingDetails entry={entry} onClose={onClose} />}
    </Modal>
  );
}

function IncomingDetails({ entry, onClose }: { entry: IncomingEntry; onClose: () => void }) {
  const { means, todo } = explainReply(entry.reply);
  return (
    <Stack gap="md">
      <div>
        <Status {...KINDS[entry.kind]} />
        <Text mt={4}>{means}</Text>
        {todo && <Text c="dimmed">{todo}</Text>}
      </div>
      <Facts>
        <Fact name="Our reply">
          <Mono value={entry.reply} what="reply" />
        </Fact>
        {entry.recipient && (
          <Fact name="Recipient">
            <Mono value={entry.recipient} what="recipient" />
          </Fact>
        )}
        <Fact name="Sender">{entry.sender || "nobody"}</Fact>
        <Fact name="Client">
          {entry.client_address ?? "not known"}
          {entry.helo && `, calls itself ${entry.helo}`}
        </Fact>
        <CompanyFact entry={entry} />
        {entry.size !== null && <Fact name="Size">{inFull(entry.size)} bytes</Fact>}
        {entry.message_id && (
          <Fact name="Message-ID">
            <Mono value={entry.message_id} what="Message-ID" />
          </Fact>
        )}
        <Fact name="When">
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
        {company.name ?? "deleted"}
      </Anchor>
    </Fact>
  );
}

/** To what became of a message that was taken to be sent. */
function DeliveryLink({ entry, onClose }: { entry: IncomingEntry; onClose: () => void }) {
  const id = /^250 .*Taken as (?:email|message) (\S+)/.exec(entry.reply)?.[1];
  if (!id) return null;
  const taken = filtersUrl({ tab: "outgoing", message: id });
  return (
    <Anchor
      component={Link}
      href={taken}
      prefetch={false}
      onNavigate={(event) => {
        inPlace(taken)(event);
        onClose();
      }}
    >
      What became of it
    </Anchor>
  );
}
