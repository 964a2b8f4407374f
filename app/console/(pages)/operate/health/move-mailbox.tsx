import { NativeSelect, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";

import { OPERATED } from "#app/console/(pages)/operate/companies/queries.ts";
import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { toast, useAction } from "#app/console/ui/actions.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";
import { toSentence } from "#app/console/ui/format.ts";
import type { StatusTone } from "#app/console/ui/status.tsx";

type Props = {
  /** To choose from. */
  hosts: Pick<MailHost, "name" | "isRunning">[];
  /** If missing, the form asks for it. */
  address?: string;
};

type MoveMailboxDialogProps = Props & { isOpen: boolean; onClose: () => void };

export function MoveMailboxDialog({ isOpen, onClose, ...form }: MoveMailboxDialogProps) {
  const title = form.address ? `Move ${form.address}` : "Move mailbox";
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <MoveMailboxForm onClose={onClose} {...form} />
    </Modal>
  );
}

function MoveMailboxForm({ hosts, address, onClose }: Props & { onClose: () => void }) {
  const move = useMoveMailbox();
  const form = useForm({
    initialValues: { address: address ?? "", mailHost: hosts[0]?.name ?? "" },
    labels: { address: "Mailbox", mailHost: "Mail host" },
    checks: { address: required },
    draft: null,
    send: ({ address, mailHost }) => move.run({ address, host: mailHost }),
    onDone({ id, move }, { mailHost: host }) {
      onClose();
      toast(move ? `Moving ${id} to ${move.to}` : `${id} is on ${host}`);
    },
  });

  return (
    <Form form={form} submit="Move mailbox" onClose={onClose}>
      <Text>
        The mailbox stays in use while its mail is copied. Then mail apps reconnect once. Messages,
        flags, folders and filters stay as they are.
      </Text>
      {address === undefined && (
        <TextInput
          {...form.field("address")}
          placeholder="ann@example.com"
          {...VERBATIM}
          data-autofocus
        />
      )}
      <NativeSelect
        {...form.field("mailHost")}
        data={hosts.map(({ name, isRunning }) => ({
          value: name,
          label: isRunning ? name : `${name} (not responding)`,
        }))}
        {...(address !== undefined && { "data-autofocus": true })}
      />
    </Form>
  );
}

const REFRESH_MS = 5_000;
const IDLE_REFRESH_MS = 30_000;

type MailHosts = AnswerOf<"mailHosts.list">;

export type MailHost = MailHosts["data"][number];

export type MailboxMove = MailHosts["moves"][number];

type MailboxHost = AnswerOf<"mailHosts.getMailboxHost">;

export const mailHostsQuery = queryOf("mailHosts.list", {}, { refetchInterval: REFRESH_MS });

export const mailboxHostQuery = (address: string) =>
  queryOf(
    "mailHosts.getMailboxHost",
    {
      params: { email: address },
    },
    {
      refetchInterval: ({ state: { data } }: { state: { data?: MailboxHost | undefined } }) =>
        data?.move ? REFRESH_MS : IDLE_REFRESH_MS,
    },
  );

/** Moves a mailbox, or cancels that by naming the host that it is on. */
export function useMoveMailbox() {
  const queryClient = useQueryClient();
  return useAction({
    call: ({ address, host }: { address: string; host: string }) =>
      change("mailHosts.changeMailboxHost", {
        params: { email: address },
        body: { mailHost: host },
      }),
    invalidates: OPERATED,
    onDone: (changed) => queryClient.setQueryData(mailboxHostQuery(changed.id).queryKey, changed),
  });
}

type MoveDescription = { tone: StatusTone; label: string; text: string };

/** How far a move is, and what is wrong if the last attempt failed. */
export function describeMove({ stage, from, to, problem }: MailboxMove): MoveDescription {
  const { label, text } = STAGES[stage](from, to);
  if (problem !== null)
    return {
      tone: "failed",
      label: `${label}, ${stage === "moved" ? "cleanup delayed" : "delayed"}`,
      text: `${toSentence(problem)} Posthouse is retrying. ${text}`,
    };
  return { tone: stage === "moved" ? "done" : "waiting", label, text };
}

const STAGES: Record<
  MailboxMove["stage"],
  (from: string, to: string) => Pick<MoveDescription, "label" | "text">
> = {
  copying: (from, to) => ({
    label: `Moving to ${to}`,
    text: `Copying mail. The mailbox stays in use on ${from} until the copy is complete.`,
  }),
  switched: (from, to) => ({
    label: `Moving to ${to}`,
    text: `New mail arrives on ${to}. Messages that arrived on ${from} during the copy are being moved.`,
  }),
  moved: (from, to) => ({
    label: `Moved from ${from}`,
    text: `All mail is on ${to}. The copy on ${from} will be deleted, at the earliest ten minutes after the switch.`,
  }),
};
