"use client";

import { Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type SubmitEvent, useState } from "react";

import { readerTimeZone } from "#app/console/(pages)/emails/datetime-local.ts";
import type { EmailChoices } from "#app/console/(pages)/emails/queries.ts";
import { FormError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { SideBySide } from "#app/console/ui/side-by-side.tsx";
import { toast } from "#app/console/ui/toast.tsx";

import classes from "./compose-form.module.css";
import { ContentField, type ContentKind } from "./content-field.tsx";
import { ComposePreview } from "./compose-preview.tsx";
import { fieldErrors } from "./field-errors.ts";
import { readComposeForm } from "./read-compose-form.ts";
import { useSendEmail } from "./use-send-email.ts";

/** Prefilled, so that sending a test takes two clicks. */
const SAMPLE = { subject: "A test email", text: "If you can read this, sending works." };

export function ComposeForm({
  domains,
  ownAddress,
}: {
  domains: EmailChoices["domains"];
  ownAddress: string;
}) {
  const router = useRouter();
  const compose = useSendEmail();
  const [kind, setKind] = useState<ContentKind>("text");
  const [contents, setContents] = useState({ text: SAMPLE.text, html: "" });
  const [isLater, setIsLater] = useState(false);
  const errors = fieldErrors(compose.error);
  const hasFieldError = Object.values(errors).some((error) => error !== null);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (compose.isPending) return;
    compose.mutate(readComposeForm(new FormData(event.currentTarget), kind, contents[kind]), {
      onSuccess({ id }) {
        toast(isLater ? "Email scheduled" : "Email sent");
        router.push(`/console/emails/${id}`);
      },
    });
  }

  const form = (
    <Panel>
      <form onSubmit={handleSubmit} method="post" noValidate>
        <Stack gap="lg">
          <SenderFields domains={domains} error={errors.from} />
          <TextInput
            name="to"
            label="To"
            description="Separate multiple addresses with commas."
            defaultValue={ownAddress}
            error={errors.to}
            autoCapitalize="off"
            spellCheck={false}
          />
          <TextInput
            name="subject"
            label="Subject"
            defaultValue={SAMPLE.subject}
            error={errors.subject}
            maxLength={998}
          />
          <ContentField
            kind={kind}
            onKind={setKind}
            value={contents[kind]}
            onChange={(content) => setContents({ ...contents, [kind]: content })}
            error={errors.content}
          />
          <div className={classes.extras}>
            <TextInput
              type="datetime-local"
              name="time"
              label="Send time"
              description={`Leave empty to send now. In your time zone (${readerTimeZone()}).`}
              error={errors.time}
              onChange={(event) => setIsLater(event.currentTarget.value !== "")}
            />
            <TextInput
              name="tags"
              label="Tags"
              description="Enter name=value, separated by spaces."
              placeholder="kind=test"
              error={errors.tags}
              autoCapitalize="off"
              spellCheck={false}
            />
          </div>
          {!hasFieldError && <FormError error={compose.error} />}
          <Group gap="xs">
            <Button
              type="submit"
              leftSection={<IconSend size={14} />}
              aria-busy={compose.isPending}
            >
              {isLater ? "Schedule email" : "Send email"}
            </Button>
            <Button component={Link} href="/console/emails" variant="default">
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
  return (
    <SideBySide side={form}>
      <ComposePreview kind={kind} content={contents[kind]} />
    </SideBySide>
  );
}

function SenderFields({
  domains,
  error,
}: {
  domains: EmailChoices["domains"];
  error: string | null;
}) {
  return (
    <div className={classes.sender}>
      <TextInput name="name" label="Sender name" placeholder="Optional" maxLength={100} />
      <TextInput
        name="local"
        label="Address"
        defaultValue="hello"
        error={error}
        autoCapitalize="off"
        autoComplete="off"
        spellCheck={false}
      />
      <NativeSelect
        name="domain"
        label="Domain"
        size="md"
        data={domains.map(({ name, may_send }) => ({
          value: name,
          label: may_send ? `@${name}` : `@${name} (not verified)`,
        }))}
      />
    </div>
  );
}
