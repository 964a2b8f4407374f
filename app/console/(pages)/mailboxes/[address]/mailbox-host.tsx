"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import {
  describeMove,
  mailboxHostQuery,
  type MailboxMove,
  MoveMailboxDialog,
  useMoveMailbox,
} from "#app/console/(pages)/operate/health/move-mailbox.tsx";
import { useMe } from "#app/console/session.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

/** For operators, if mail hosts have names: company admins don't need to know them. */
export function MailboxHost({ address }: { address: string }) {
  const isOperator = useMe()?.isOperator ?? false;
  const { data } = useQuery({ ...mailboxHostQuery(address), enabled: isOperator });
  const [isOpen, dialog] = useDisclosure();
  if (!data || data.mailHost === null) return null;
  const { mailHost: host, mailHosts: hosts, move } = data;
  const others = hosts.filter(({ name }) => name !== host);
  return (
    <Panel title="Mail host">
      <Stack gap="sm">
        <Text>Stored on {host}.</Text>
        {move && <MoveProgress move={move} />}
        {!move && others.length > 0 && (
          <div>
            <Button variant="default" onClick={dialog.open}>
              Move mailbox
            </Button>
          </div>
        )}
      </Stack>
      <MoveMailboxDialog isOpen={isOpen} onClose={dialog.close} hosts={others} address={address} />
    </Panel>
  );
}

function MoveProgress({ move }: { move: MailboxMove }) {
  const cancellation = useMoveMailbox();
  const { tone, label, text } = describeMove(move);
  return (
    <>
      <Group gap="4px 12px" role="status">
        <Status tone={tone} label={label} />
        <Text size="sm" c="dimmed">
          Requested <RelativeTime at={move.requestedAt} />
        </Text>
      </Group>
      <Text c="dimmed">{text}</Text>
      {move.stage === "copying" && (
        <div>
          <Button
            variant="default"
            aria-busy={cancellation.isPending}
            onClick={() => cancellation.start({ address: move.mailbox, host: move.from })}
          >
            Cancel move
          </Button>
        </div>
      )}
    </>
  );
}
