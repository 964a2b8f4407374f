import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { Timeline, TimelineEntry } from "#app/console/ui/details.tsx";
import { formatCount, pluralize } from "#app/console/ui/format.ts";
import { ListCell, type ListColumn, ListRow, ListTable } from "#app/console/ui/list-table.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./health.module.css";
import type { Health } from "./finding-list.tsx";
import {
  describeMove,
  type MailboxMove,
  type MailHost,
  mailHostsQuery,
  MoveMailboxDialog,
} from "./move-mailbox.tsx";

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

const MailHostRow = ({ host }: { host: MailHost }) => (
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

type WarmUp = Health["warmUps"][number];

const warmUpColumns = {
  name: { area: "name", header: "Warm-up", kind: "name" },
  state: { area: "state", header: "Status", kind: "status" },
  day: { area: "day", header: "Day", kind: "text" },
  used: { area: "used", header: "Recipients today", kind: "text" },
} satisfies Record<string, ListColumn>;

/** The daily quotas of a new server or domain at mail providers; nothing without a warm-up. */
export function WarmUpList({ warmUps }: { warmUps: WarmUp[] }) {
  if (warmUps.length === 0) return null;
  return (
    <ListTable label="Warm-up" columns={warmUpColumns} grid={classes.warmUps}>
      {warmUps.map((warmUp) => (
        <WarmUpRow key={`${warmUp.from} ${warmUp.provider}`} warmUp={warmUp} />
      ))}
    </ListTable>
  );
}

function WarmUpRow({ warmUp: { from, provider, day, days, used, quota } }: { warmUp: WarmUp }) {
  const name = provider === "other" ? "Other providers" : provider;
  return (
    <ListRow>
      <ListCell column={warmUpColumns.name}>
        {from === null ? name : `${name}, from ${from}`}
      </ListCell>
      <ListCell column={warmUpColumns.state}>
        {used < quota ? (
          <Status tone="done" label="Sending" />
        ) : (
          <Status tone="waiting" label="Waiting" />
        )}
      </ListCell>
      <ListCell column={warmUpColumns.day}>
        {day} of {days}
      </ListCell>
      <ListCell column={warmUpColumns.used}>
        {formatCount(used)} of {formatCount(quota)}
      </ListCell>
    </ListRow>
  );
}
