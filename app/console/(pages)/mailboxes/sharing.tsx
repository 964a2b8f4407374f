import { Button, Group, NativeSelect, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import {
  describeMove,
  mailboxHostQuery,
  type MailboxMove,
  MoveMailboxDialog,
  useMoveMailbox,
} from "#app/console/(pages)/operate/health/move-mailbox.tsx";
import { useMe } from "#app/console/session.ts";
import { completeAddress } from "#app/console/ui/address-fields.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./mailbox.module.css";
import {
  type MailboxDetail,
  type Share,
  sharesQuery,
  useAddAlias,
  useRemoveAlias,
  useRemoveShare,
  useSetShare,
} from "./queries.ts";

export function MailboxAliases({ mailbox }: { mailbox: MailboxDetail }) {
  const [leaving, setLeaving] = useState("");
  const removal = useRemoveAlias(mailbox.id);
  const [isOpen, dialog] = useDisclosure();

  function askAbout(alias: string) {
    setLeaving(alias);
    dialog.open();
  }

  return (
    <Panel title="Aliases">
      <Text c="dimmed" mb="md">
        Mail to these addresses is delivered to this mailbox, and the mailbox user can send from
        them. To also receive mail to addresses that don’t exist, add the catch-all{" "}
        <code>{`*@${mailbox.domain}`}</code>. It can’t be sent from.
      </Text>
      {mailbox.aliases.length === 0 ? (
        <Text mb="md">No aliases.</Text>
      ) : (
        <ul className={classes.list}>
          {mailbox.aliases.map((alias) => (
            <li key={alias} className={classes.alias}>
              <CopyableValue value={alias} label="alias" />
              {alias.startsWith("*@") && (
                <Text span c="dimmed">
                  Catch-all
                </Text>
              )}
              {mailbox.may.update && (
                <Button
                  variant="subtle"
                  size="compact-sm"
                  aria-label={`Remove ${alias}`}
                  onClick={() => askAbout(alias)}
                >
                  Remove
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mailbox.may.update && <AddAlias mailbox={mailbox} />}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Remove ${leaving}?`}
        confirmLabel="Remove alias"
        onConfirm={() => removal.run(leaving)}
      >
        Mail to this alias will be rejected. Messages already received stay. You can add the address
        to any mailbox again.
      </ConfirmDialog>
    </Panel>
  );
}

function AddAlias({ mailbox }: { mailbox: MailboxDetail }) {
  const addition = useAddAlias(mailbox.id);
  const form = useForm({
    initialValues: { address: "" },
    labels: { address: "Address" },
    checks: { address: required },
    draft: `new-alias-${mailbox.id}`,
    send: ({ address }) => addition.mutateAsync(completeAddress(address, mailbox.domain)),
    clearsOnDone: true,
  });

  return (
    <Form form={form} submit="Add alias" isSecondary>
      <TextInput
        {...form.field("address")}
        label={undefined}
        aria-label="New alias"
        description={
          form.values.address.trim().startsWith("*") &&
          "A catch-all gets all mail sent to nonexistent addresses of the domain, including spam."
        }
        placeholder={`sales@${mailbox.domain}`}
        size="sm"
        type="email"
        {...VERBATIM}
        className={classes.field}
      />
    </Form>
  );
}

const ACCESS = { write: "Read and write", read: "Read only" };

/** Who else can open the mailbox in a mail app. */
export function MailboxShares({ mailbox }: { mailbox: MailboxDetail }) {
  const shares = useQuery(sharesQuery(mailbox.id));
  const mayShare = mailbox.may.reset_password;
  return (
    <Panel title="Shared with">
      <Text c="dimmed" mb="md">
        Shared mailboxes appear in mail apps under “Shared mailboxes”. Some apps show them only
        after you subscribe to their folders. If calendars are on, calendar apps show their
        calendars.
      </Text>
      <QueryView query={shares} noun="shares" skeleton={<SkeletonLines count={2} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Text>Not shared.</Text>
          ) : (
            <ItemList label="Shared with">
              {data.map((share) => (
                <ItemRow
                  key={share.member}
                  title={<CopyableValue value={share.member} label="address" />}
                  actions={mayShare && <RemoveShare mailbox={mailbox.id} share={share} />}
                >
                  {share.kind === "group" && "Group members: "}
                  {ACCESS[share.access]}
                  {share.sendAs && ", send as this mailbox"}
                </ItemRow>
              ))}
            </ItemList>
          )
        }
      </QueryView>
      {mayShare && <ShareForm mailbox={mailbox} />}
    </Panel>
  );
}

function RemoveShare({ mailbox, share }: { mailbox: string; share: Share }) {
  const removal = useRemoveShare(mailbox);
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      aria-label={`Stop sharing with ${share.member}`}
      aria-busy={removal.isPending}
      onClick={() => removal.start(share)}
    >
      Stop sharing
    </Button>
  );
}

type NewShare = { member: string; access: Share["access"]; sendAs: boolean };

const NEW_SHARE: NewShare = { member: "", access: "write", sendAs: false };

function ShareForm({ mailbox }: { mailbox: MailboxDetail }) {
  const sharing = useSetShare(mailbox.id);
  const form = useForm({
    initialValues: NEW_SHARE,
    labels: { member: "Mailbox or group", access: "Access", sendAs: "Send as" },
    checks: { member: required },
    draft: `share-${mailbox.id}`,
    send: ({ member, access, sendAs }) =>
      sharing.run({ member: completeAddress(member, mailbox.domain), access, sendAs }),
    clearsOnDone: true,
  });
  return (
    <Form form={form} submit="Share mailbox" isSecondary>
      <Stack gap="md" mt="md" maw={420}>
        <TextInput {...form.field("member")} placeholder={`ann@${mailbox.domain}`} {...VERBATIM} />
        <NativeSelect
          {...form.field("access")}
          size="md"
          data={Object.entries(ACCESS).map(([value, label]) => ({ value, label }))}
        />
        <Switch
          checked={form.values.sendAs}
          onChange={(event) => form.set("sendAs", event.currentTarget.checked)}
          label="Can send as this mailbox"
        />
      </Stack>
    </Form>
  );
}

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
