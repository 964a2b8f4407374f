import { Modal, Skeleton, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { ComposedEmail } from "#app/console/(pages)/emails/new/compose-values.ts";
import { emailChoicesQuery } from "#app/console/(pages)/emails/queries.ts";
import { useSendEmail } from "#app/console/(pages)/emails/use-send-email.ts";
import { meQuery } from "#app/console/session.ts";
import { toast } from "#app/console/ui/actions.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { splitTypedAddresses } from "#app/console/ui/read-addresses.ts";

type TestDialogProps = {
  from: string;
  content: Record<"subject" | "html" | "text", string>;
  onClose: () => void;
};

/** Sends the content of the form, even if it hasn't been saved or published. */
export function TestDialog({ from, content: { subject, html, text }, onClose }: TestDialogProps) {
  const { data: me } = useQuery(meQuery);
  const choices = useQuery(emailChoicesQuery);
  return (
    <Modal opened onClose={onClose} title="Send test">
      <QueryView query={choices} noun="your domains" skeleton={<Skeleton height={180} />}>
        {({ domains: [domain] }) =>
          me && (
            <TestForm
              initial={{ from: from || (domain ? `hello@${domain.name}` : ""), to: me.email }}
              content={{ ...(subject.trim() && { subject }), html, ...(text.trim() && { text }) }}
              onClose={onClose}
            />
          )
        }
      </QueryView>
    </Modal>
  );
}

type TestFormProps = {
  initial: { from: string; to: string };
  content: Pick<ComposedEmail, "subject" | "html" | "text">;
  onClose: () => void;
};

function TestForm({ initial, content, onClose }: TestFormProps) {
  const { send } = useSendEmail();
  const form = useForm({
    initialValues: initial,
    labels: { from: "Sender", to: "To" },
    checks: { from: required, to: required },
    draft: null,
    send: ({ from, to }) => send({ from, to: splitTypedAddresses(to), ...content }),
    entries: ({ to }) => ({ to: splitTypedAddresses(to) }),
    onDone() {
      toast("Test sent");
      onClose();
    },
  });
  return (
    <Form form={form} submit="Send test" onClose={onClose}>
      <Text c="dimmed">
        Sends the current content of the form, with the sample values. Counts toward your email
        limits.
      </Text>
      <TextInput {...form.field("from")} {...VERBATIM} />
      <TextInput {...form.field("to")} {...VERBATIM} data-autofocus />
    </Form>
  );
}
