"use client";

import { Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type SubmitEvent, useState } from "react";

import { readersZone } from "#app/console/(pages)/emails/local-moment.ts";
import type { EmailChoices } from "#app/console/(pages)/emails/queries.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { SideBySide } from "#app/console/ui/side-by-side.tsx";
import { toast } from "#app/console/ui/toast.ts";

import classes from "./compose-form.module.css";
import { ContentField, type Kind } from "./content-field.tsx";
import { Preview } from "./preview.tsx";
import { problemsOf } from "./problems.ts";
import { readWritten } from "./read-written.ts";
import { useCompose } from "./use-compose.ts";

/** Filled in so that a test is two clicks away. */
const SAMPLE = { subject: "A test email", text: "If you can read this, sending works." };

export function ComposeForm({
  domains,
  ownAddress,
}: {
  domains: EmailChoices["domains"];
  ownAddress: string;
}) {
  const router = useRouter();
  const compose = useCompose();
  const [kind, setKind] = useState<Kind>("text");
  const [contents, setContents] = useState({ text: SAMPLE.text, html: "" });
  const [isLater, setIsLater] = useState(false);
  const problems = problemsOf(compose.error);
  const isOfField = Object.values(problems).some((problem) => problem !== null);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (compose.isPending) return;
    compose.mutate(readWritten(new FormData(event.currentTarget), kind, contents[kind]), {
      onSuccess({ id }) {
        toast(isLater ? "The email is scheduled." : "The email is on its way.");
        router.push(`/console/emails/${id}`);
      },
    });
  }

  const form = (
    <Panel>
      <form onSubmit={handleSubmit} method="post" noValidate>
        <Stack gap="lg">
          <Sender domains={domains} problem={problems.from} />
          <TextInput
            name="to"
            label="To"
            description="One address or several, with commas between them."
            defaultValue={ownAddress}
            error={problems.to}
            autoCapitalize="off"
            spellCheck={false}
          />
          <TextInput
            name="subject"
            label="Subject"
            defaultValue={SAMPLE.subject}
            error={problems.subject}
            maxLength={998}
          />
          <ContentField
            kind={kind}
            onKind={setKind}
            value={contents[kind]}
            onChange={(content) => setContents({ ...contents, [kind]: content })}
            problem={problems.content}
          />
          <div className={classes.extras}>
            <TextInput
              type="datetime-local"
              name="time"
              label="Send it later"
              description={`Empty: at once. In your time zone, ${readersZone()}.`}
              error={problems.time}
              onChange={(event) => setIsLater(event.currentTarget.value !== "")}
            />
            <TextInput
              name="tags"
              label="Tags"
              description="name=value, with spaces between them."
              placeholder="kind=test"
              error={problems.tags}
              autoCapitalize="off"
              spellCheck={false}
            />
          </div>
          {!isOfField && <FormProblem error={compose.error} />}
          <Group gap="xs">
            <Button
              type="submit"
              leftSection={<IconSend size={14} />}
              aria-busy={compose.isPending}
              data-loading={compose.isPending || undefined}
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
      <Preview kind={kind} content={contents[kind]} />
    </SideBySide>
  );
}

function Sender({
  domains,
  problem,
}: {
  domains: EmailChoices["domains"];
  problem: string | null;
}) {
  return (
    <div className={classes.sender}>
      <TextInput name="name" label="Sender's name" placeholder="Optional" maxLength={100} />
      <TextInput
        name="local"
        label="Address"
        defaultValue="hello"
        error={problem}
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
