import { Button, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { completeAddress } from "#app/console/ui/address-fields.tsx";
import { readerTimeZone } from "#app/console/ui/datetime-local.ts";
import { ConfirmDialog, Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";
import { useOpenOnParam } from "#app/console/ui/url-search.ts";

import {
  type EffectiveSettings,
  effectiveSettingsQuery,
  type MailboxDetail,
  useSaveRules,
  useSetShare,
  useUpdateMailbox,
} from "./queries.ts";

const LABELS = {
  suspend: {
    title: "Suspend this mailbox",
    text: "Sign-in is blocked until you restore the mailbox. Mail still arrives, and nothing is deleted.",
    verb: "Suspend mailbox",
  },
  restore: {
    title: "Restore this mailbox",
    text: "This mailbox is suspended. Sign-in is blocked, but mail still arrives.",
    verb: "Restore mailbox",
  },
};

const CONSEQUENCES =
  "The mailbox user is signed out of all mail apps immediately and can’t sign in. Mail still arrives.";

/** A single button for both actions keeps the focus. */
export function SuspendMailbox({ mailbox }: { mailbox: MailboxDetail }) {
  const update = useUpdateMailbox(mailbox.id);
  const [isOpen, dialog] = useDisclosure();
  const { active } = mailbox;
  useOpenOnParam(["do", "suspend"], active && mailbox.may.suspend, dialog.open);
  const words = active ? LABELS.suspend : LABELS.restore;
  const title = `Suspend ${mailbox.id}?`;

  function handleClick() {
    if (active) dialog.open();
    else update.start({ active: true });
  }

  return (
    <Panel title={words.title}>
      <Text c="dimmed" mb="md">
        {words.text}
        {active && mailbox.may.reset_password && " You can choose who receives it."}
      </Text>
      {/* Never disabled: that would lose the focus. */}
      <Button variant="default" aria-busy={update.isPending} onClick={handleClick}>
        {words.verb}
      </Button>
      {mailbox.may.reset_password ? (
        <Modal opened={isOpen} onClose={dialog.close} title={title} size="lg">
          <SuspendDialogForm mailbox={mailbox} onClose={dialog.close} />
        </Modal>
      ) : (
        <ConfirmDialog
          isOpen={isOpen}
          onClose={dialog.close}
          title={title}
          confirmLabel="Suspend mailbox"
          isHarmless
          onConfirm={() => update.run({ active: false })}
        >
          {CONSEQUENCES}
        </ConfirmDialog>
      )}
    </Panel>
  );
}

type Props = { mailbox: MailboxDetail; onClose: () => void };

function SuspendDialogForm(props: Props) {
  const rules = useQuery(effectiveSettingsQuery(props.mailbox.id));
  return (
    <QueryView query={rules} noun="mail rules" skeleton={<SkeletonLines count={6} />}>
      {(rules) => <SuspendForm {...props} rules={rules} />}
    </QueryView>
  );
}

/** Saves forwarding, the automatic reply and the share, then suspends the mailbox. After a failure, all steps can be repeated. */
function SuspendForm({ mailbox, rules, onClose }: Props & { rules: EffectiveSettings }) {
  const saveRules = useSaveRules(mailbox.id);
  const share = useSetShare(mailbox.id);
  const update = useUpdateMailbox(mailbox.id);
  const { forwardTo: before, keepsCopy: keepCopy, vacation } = rules;
  const form = useForm({
    initialValues: {
      forwardTo: before.join(", "),
      member: "",
      isOn: vacation?.isOn ?? false,
      subject: vacation?.subject || `${mailbox.name} is no longer available at this address`,
      text:
        vacation?.text ||
        `Thank you for your message. ${mailbox.name} is no longer available at this address. Contact our team instead.`,
    },
    labels: {
      forwardTo: "Deliver new mail to (optional)",
      member: "Share the mailbox with (optional)",
      subject: "Subject",
      text: "Message",
    },
    checks: {
      subject: (subject, { isOn }) => (isOn ? required(subject, null) : null),
      text: (text, { isOn }) => (isOn ? required(text, null) : null),
    },
    draft: `suspend-${mailbox.id}`,
    async send({ forwardTo, member, ...reply }) {
      const addresses = forwardTo
        .split(/[\s,;]+/)
        .filter(Boolean)
        .map((address) => completeAddress(address, mailbox.domain));
      await saveRules.run({
        ...(addresses.join() !== before.join() && {
          forwarding: { forwardTo: addresses, keepCopy },
        }),
        ...((reply.isOn || vacation?.isOn) && {
          vacation: { ...reply, startsOn: null, endsOn: null, timeZone: readerTimeZone() },
        }),
      });
      if (member !== "")
        await share.run({
          member: completeAddress(member, mailbox.domain),
          access: "write",
          sendAs: false,
        });
      await update.run({ active: false });
    },
    onDone: onClose,
    leavesPage: true,
  });
  return (
    <Form form={form} submit="Suspend mailbox" onClose={onClose}>
      <Text>{CONSEQUENCES}</Text>
      <TextInput
        {...form.field("forwardTo")}
        description={`New mail is forwarded to these addresses${keepCopy ? ", and stays in this mailbox" : ""}.`}
        placeholder={`ben@${mailbox.domain}`}
        {...VERBATIM}
      />
      <TextInput
        {...form.field("member")}
        description="A mailbox or group that can open this mailbox, with all its mail, in a mail app."
        placeholder={`ben@${mailbox.domain}`}
        {...VERBATIM}
      />
      <Switch
        label="Send automatic replies"
        checked={form.values.isOn}
        onChange={({ currentTarget }) => form.set("isOn", currentTarget.checked)}
      />
      {form.values.isOn && (
        <Stack gap="md">
          <TextInput {...form.field("subject")} autoComplete="off" />
          <Textarea {...form.field("text")} size="md" rows={4} />
        </Stack>
      )}
    </Form>
  );
}
