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

import { addressOf } from "./address-of.ts";
import type { LogEntry } from "./queries.ts";
import { kinds, replyInWords } from "./reply-words.ts";

/** One answer: what it means, what to do, and all that is known of who got it. */
export function EntryDialog({ entry, onClose }: { entry: LogEntry | null; onClose: () => void }) {
  return (
    <Modal opened={entry !== null} onClose={onClose} title="What was answered" size="lg">
      {entry && <Entry entry={entry} onClose={onClose} />}
    </Modal>
  );
}

function Entry({ entry, onClose }: { entry: LogEntry; onClose: () => void }) {
  const { means, todo } = replyInWords(entry.reply);
  return (
    <Stack gap="md">
      <div>
        <Status {...kinds[entry.kind]} />
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
        <Company entry={entry} />
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
      <WayOn entry={entry} onClose={onClose} />
    </Stack>
  );
}

function Company({ entry: { company } }: { entry: LogEntry }) {
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
function WayOn({ entry, onClose }: { entry: LogEntry; onClose: () => void }) {
  const id = /^250 .*Taken as (?:email|message) (\S+)/.exec(entry.reply)?.[1];
  if (!id) return null;
  const taken = addressOf({ tab: "outgoing", message: id });
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
