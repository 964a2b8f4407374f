"use client";

import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { pluralize } from "#app/console/ui/format.ts";
import { ListCell, type ListColumn, ListRow, ListTable } from "#app/console/ui/list-table.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Timeline, TimelineEntry } from "#app/console/ui/details.tsx";

import classes from "./health.module.css";
import { type MailboxMove, type MailHost, mailHostsQuery } from "./mail-host-queries.ts";
import { describeMove } from "./move-labels.ts";
import { MoveMailboxDialog } from "./move-mailbox-dialog.tsx";

const columns = {
  name: { area: "name", header: "Mail host", kind: "name" },
  state: { area: "state", header: "Status", kind: "status" },
  address: { area: "address", header: "IP address", kind: "text", isOptional: true },
  mailboxes: { area: "mailboxes", header: "Mailboxes", kind: "text" },
  seen: { area: "seen", header: "Last seen", kind: "moment" },
} satisfies Record<string, ListColumn>;

/** Nothing unless mail hosts have names. */
export function MailHostList() {
  const { data } = useQuery(mailHostsQuery);
  if (!data || data.data.length === 0) return null;
  return (
    <Stack gap="md">
      <ListTable label="Mail hosts" columns={columns} grid={classes.mailHosts}>
        {data.data.map((host) => (
          <MailHostRow key={host.name} host={host} />
        ))}
      </ListTable>
      <MailboxMoves hosts={data.data} moves={data.moves} />
    </Stack>
  );
}

function MailHostRow({ host }: { host: MailHost }) {
  return (
    <ListRow>
      <ListCell column={columns.name}>{host.name}</ListCell>
      <ListCell column={columns.state}>
        {host.isRunning ? (
          <Status tone="done" label="Running" />
        ) : (
          <Status tone="failed" label="Not responding" />
        )}
      </ListCell>
      <ListCell column={columns.address}>{host.address}</ListCell>
      <ListCell column={columns.mailboxes}>
        {pluralize(host.mailboxes, "mailbox", "mailboxes")}
      </ListCell>
      <ListCell column={columns.seen}>
        <RelativeTime at={host.seenAt} />
      </ListCell>
    </ListRow>
  );
}

function MailboxMoves({ hosts, moves }: { hosts: MailHost[]; moves: MailboxMove[] }) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <Panel
      title="Mailbox moves"
      aside={
        <Button variant="default" onClick={dialog.open}>
          Move mailbox
        </Button>
      }
    >
      {moves.length === 0 ? (
        <Text c="dimmed">No mailboxes are being moved.</Text>
      ) : (
        <Timeline>
          {moves.map((move) => (
            <MoveEntry key={move.mailbox} move={move} />
          ))}
        </Timeline>
      )}
      <MoveMailboxDialog isOpen={isOpen} onClose={dialog.close} hosts={hosts} />
    </Panel>
  );
}

function MoveEntry({ move }: { move: MailboxMove }) {
  const { tone, label, text } = describeMove(move);
  return (
    <TimelineEntry
      tone={tone}
      title={`${move.mailbox}: ${label}`}
      aside={
        <>
          Requested <RelativeTime at={move.requestedAt} />
        </>
      }
    >
      {text}
    </TimelineEntry>
  );
}
