"use client";

import { Anchor, Stack, Text } from "@mantine/core";
import Link from "next/link";

import { formatCount } from "#app/console/ui/format.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { navigateInPlace } from "#app/console/ui/url-search.ts";
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
  const { tone, advice } = explainReply(entry.reply);
  return (
    <Stack gap="md">
      <div>
        <Status {...KINDS[entry.kind]} />
        <Text mt={4}>{tone}</Text>
        {advice && <Text c="dimmed">{advice}</Text>}
      </div>
      <DescriptionList>
        <DescriptionItem label="Reply">
          <CopyableValue value={entry.reply} label="reply" />
        </DescriptionItem>
        {entry.recipient && (
          <DescriptionItem label="Recipient">
            <CopyableValue value={entry.recipient} label="recipient" />
          </DescriptionItem>
        )}
        <DescriptionItem label="Sender">{entry.sender || "Empty sender"}</DescriptionItem>
        <DescriptionItem label="Client">
          {entry.clientAddress ?? "Unknown"}
          {entry.helo && `, HELO ${entry.helo}`}
        </DescriptionItem>
        <CompanyFact entry={entry} />
        {entry.size !== null && (
          <DescriptionItem label="Size">{formatCount(entry.size)} bytes</DescriptionItem>
        )}
        {entry.messageId && (
          <DescriptionItem label="Message-ID">
            <CopyableValue value={entry.messageId} label="Message-ID" />
          </DescriptionItem>
        )}
        <DescriptionItem label="Time">
          <ExactTime at={entry.createdAt} />
        </DescriptionItem>
      </DescriptionList>
      <DeliveryLink entry={entry} onClose={onClose} />
    </Stack>
  );
}

function CompanyFact({ entry: { company } }: { entry: IncomingEntry }) {
  if (!company) return null;
  return (
    <DescriptionItem label="Company">
      <Anchor component={Link} href={`/console/operate/companies/${company.id}`}>
        {company.name ?? "Deleted company"}
      </Anchor>
    </DescriptionItem>
  );
}

/** Links an accepted outgoing message to its delivery attempts. */
function DeliveryLink({ entry, onClose }: { entry: IncomingEntry; onClose: () => void }) {
  const id = /^250 .*Queued as (?:email|message) (\S+)/.exec(entry.reply)?.[1];
  if (!id) return null;
  const outgoing = filtersUrl({ tab: "outgoing", message: id });
  return (
    <Anchor
      component={Link}
      href={outgoing}
      prefetch={false}
      onNavigate={(event) => {
        navigateInPlace(outgoing)(event);
        onClose();
      }}
    >
      View delivery attempts
    </Anchor>
  );
}
