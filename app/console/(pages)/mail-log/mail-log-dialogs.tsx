import { Anchor, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { meQuery } from "#app/console/session.ts";
import type { NavigationArea } from "#app/console/shell/navigation.ts";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { formatCount, typographic } from "#app/console/ui/format.ts";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { navigateInPlace } from "#app/console/ui/url-search.ts";
import { READ_EMAILS } from "#server/universal/privileges.ts";
import { usePrivileges } from "#app/console/session.ts";

import { filtersUrl } from "./mail-log-filters.tsx";
import {
  explainReply,
  type IncomingEntry,
  incomingStatus,
  ORIGINS,
  type OutgoingEntry,
  outgoingStatus,
} from "./reply-text.ts";

type Shown<Entry> = { area: NavigationArea; entry: Entry; onClose: () => void };

export const IncomingDialog = ({ entry, ...shown }: Shown<IncomingEntry | null>) => (
  <Modal opened={entry !== null} onClose={shown.onClose} title="SMTP reply" size="lg">
    {entry && <IncomingDetails entry={entry} {...shown} />}
  </Modal>
);

function IncomingDetails({ area, entry, onClose }: Shown<IncomingEntry>) {
  const { tone, advice } = explainReply(entry.reply, area);
  return (
    <Stack gap="md">
      <div>
        <Status {...incomingStatus(entry)} />
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
        {area === "operate" && <CompanyFact entry={entry} />}
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

type CompanyFactProps = { entry: Pick<IncomingEntry | OutgoingEntry, "company"> };

function CompanyFact({ entry: { company } }: CompanyFactProps) {
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

export const OutgoingDialog = ({ entry, ...shown }: Shown<OutgoingEntry | null>) => (
  <Modal opened={entry !== null} onClose={shown.onClose} title="Delivery attempt" size="lg">
    {entry && <OutgoingDetails entry={entry} {...shown} />}
  </Modal>
);

const OutgoingDetails = ({ area, entry, onClose }: Shown<OutgoingEntry>) => (
  <Stack gap="md">
    <div>
      <Status {...outgoingStatus(entry)} />
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
      {area === "operate" && <CompanyFact entry={entry} />}
      <DescriptionItem label="Origin">{ORIGINS[entry.kind]}</DescriptionItem>
      <DescriptionItem label="ID">
        <CopyableValue value={entry.parentId} label="ID" />
      </DescriptionItem>
      <DescriptionItem label="Time">
        <ExactTime at={entry.createdAt} />
      </DescriptionItem>
    </DescriptionList>
    <OutgoingLinks area={area} entry={entry} onClose={onClose} />
  </Stack>
);

/** Related pages. Only the company itself can open the email. */
function OutgoingLinks({ area, entry, onClose }: Shown<OutgoingEntry>) {
  const { data: me } = useQuery(meQuery);
  const { has } = usePrivileges();
  const isOwn = me?.company.id === entry.company.id && has(...READ_EMAILS);
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
      {area === "operate" && entry.result === "delayed" && (
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
