import { Button, Group, NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";

import { ContentPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import type { EmailChoices } from "#app/console/(pages)/emails/queries.ts";
import { useSendEmail } from "#app/console/(pages)/emails/use-send-email.ts";
import {
  templateQuery,
  type TemplateRow,
  type TemplateVersion,
} from "#app/console/(pages)/templates/queries.ts";
import { toast } from "#app/console/ui/actions.tsx";
import { readerTimeZone } from "#app/console/ui/datetime-local.ts";
import type { Check } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel, SideBySide } from "#app/console/ui/panel.tsx";
import { splitTypedAddresses } from "#app/console/ui/read-addresses.ts";

import { AttachmentsField } from "./attachments-field.tsx";
import { CheckResult, useCheckEmail } from "./check-result.tsx";
import {
  ContentFields,
  COMPOSE_LABELS,
  OptionalAddressFields,
  SenderFields,
} from "./compose-fields.tsx";
import {
  composedEmail,
  type ComposeValues,
  type ContentKind,
  previewOf,
  readFiles,
} from "./compose-values.ts";

/** Prefilled, so that sending a test takes two clicks. */
const SAMPLE = { subject: "A test email", text: "If you can read this, sending works." };

const contentCheck =
  (kind: ContentKind): Check<string, ComposeValues> =>
  (content, values) =>
    values.kind === kind && !values.template && content === "" ? "must not be empty" : null;

type ComposeFormProps = {
  domains: EmailChoices["domains"];
  ownAddress: string;
  templates: TemplateRow[];
  templateId: string;
};

/** @param templateId the template to begin with; "" for none */
export function ComposeForm({ domains, ownAddress, templates, templateId }: ComposeFormProps) {
  const router = useRouter();
  const { send, progress } = useSendEmail();
  const [files, setFiles] = useState<File[]>([]);
  /** A draft may name a template that was deleted since. */
  const withKnownTemplate = (values: ComposeValues): ComposeValues =>
    templates.some(({ id }) => id === values.template) ? values : { ...values, template: "" };
  const initial: ComposeValues = {
    name: "",
    local: "hello",
    domain: domains[0]!.name,
    to: ownAddress,
    cc: "",
    bcc: "",
    replyTo: "",
    subject: templateId ? "" : SAMPLE.subject,
    template: templateId,
    variables: {},
    kind: "text",
    text: SAMPLE.text,
    html: "",
    scheduledAt: "",
    tags: "",
  };
  const form = useForm({
    initialValues: initial,
    labels: COMPOSE_LABELS,
    draft: templateId ? `email-${templateId}` : "email",
    checks: { text: contentCheck("text"), html: contentCheck("html") },
    send: async (values) => send(await compose(values)),
    entries: ({ to, cc, bcc, replyTo }) => ({
      to: splitTypedAddresses(to),
      cc: splitTypedAddresses(cc),
      bcc: splitTypedAddresses(bcc),
      replyTo: splitTypedAddresses(replyTo),
    }),
    onDone({ id }, { scheduledAt: time }) {
      toast(time ? "Email scheduled" : "Email sent");
      router.push(`/console/emails/${id}`);
    },
    leavesPage: true,
  });
  const values = withKnownTemplate(form.values);
  const version = usePublishedVersion(values.template);
  const compose = async (typed: ComposeValues) =>
    composedEmail(withKnownTemplate(typed), version, await readFiles(files));
  const check = useCheckEmail(() => compose(form.values), form.mark);
  const isIncomplete = Boolean(values.template) && !version;

  function choose(template: string) {
    form.set("template", template);
    // The sample would hide the template's subject.
    if (template && values.subject === SAMPLE.subject) form.set("subject", "");
  }

  const fields = (
    <Panel>
      <Form
        form={form}
        gap="lg"
        actions={
          <Group gap="xs">
            <Button
              type="submit"
              leftSection={<IconSend size={14} />}
              aria-busy={form.isPending}
              disabled={isIncomplete}
            >
              {values.scheduledAt ? "Schedule email" : "Send email"}
            </Button>
            <Button
              variant="default"
              aria-busy={check.isPending}
              disabled={isIncomplete}
              onClick={() => check.start()}
            >
              Check without sending
            </Button>
            <Button
              component={Link}
              href="/console/emails"
              variant="default"
              onClick={form.discard}
            >
              Cancel
            </Button>
          </Group>
        }
      >
        <SenderFields form={form} domains={domains} />
        <TextInput
          {...form.field("to")}
          description="Separate multiple addresses with commas."
          autoCapitalize="off"
          spellCheck={false}
        />
        <OptionalAddressFields form={form} values={values} />
        {templates.length > 0 && (
          <NativeSelect
            size="md"
            label={COMPOSE_LABELS.template}
            value={values.template}
            error={form.errors["template"]}
            onChange={(event) => choose(event.currentTarget.value)}
            data={[
              { value: "", label: "None" },
              ...templates.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        )}
        <TextInput
          {...form.field("subject")}
          {...(version?.subject && { placeholder: version.subject })}
          maxLength={998}
        />
        <ContentFields form={form} values={values} version={version} />
        <AttachmentsField
          files={files}
          onChange={setFiles}
          progress={progress}
          error={form.errors["attachments"] ?? null}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <TextInput
            {...form.field("scheduledAt")}
            type="datetime-local"
            description={`Leave empty to send now. In your time zone (${readerTimeZone()}).`}
          />
          <TextInput
            {...form.field("tags")}
            description="Enter name=value, separated by spaces."
            placeholder="kind=test"
            autoCapitalize="off"
            spellCheck={false}
          />
        </SimpleGrid>
      </Form>
    </Panel>
  );
  return (
    <SideBySide side={fields}>
      <Stack gap="lg">
        {check.result && <CheckResult result={check.result} />}
        <ContentPreview {...previewOf(values, version)} />
      </Stack>
    </SideBySide>
  );
}

/** The version of a template that emails use; null without a template and while it is loading. */
function usePublishedVersion(templateId: string): TemplateVersion | null {
  const { data } = useQuery({ ...templateQuery(templateId), enabled: templateId !== "" });
  if (templateId === "") return null;
  return data?.versions.find((version) => version.isPublished) ?? null;
}
