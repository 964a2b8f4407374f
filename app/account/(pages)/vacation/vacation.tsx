"use client";

import { Group, Skeleton, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { SavedNotice } from "#app/account/passwords.tsx";
import { rulesQuery, useSaveVacation, type VacationFields } from "#app/account/queries.ts";
import { vacationState } from "#app/account/vacation-state.ts";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

export function AutomaticReply() {
  const rules = useQuery(rulesQuery);
  const save = useSaveVacation();
  return (
    <>
      <PageHeader
        title="Automatic replies"
        description="Reply automatically to people who write to you."
      />
      <Panel>
        <QueryView query={rules} noun="your automatic reply" skeleton={<Skeleton height={380} />}>
          {({ vacation }) => (
            <>
              <VacationStatus vacation={vacation} />
              <VacationForm vacation={vacation} draft="automatic-reply" save={save.run} />
            </>
          )}
        </QueryView>
      </Panel>
    </>
  );
}

/** Status of the saved reply: the switch alone doesn't say whether replies are sent today. */
function VacationStatus({ vacation }: { vacation: VacationFields | null }) {
  const { text, ...status } = vacationState(vacation, new Date());
  return (
    <Group gap="sm" mb="md">
      <Status {...status} />
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </Group>
  );
}

const NONE: VacationFields = {
  isOn: false,
  subject: "",
  text: "",
  startsOn: null,
  endsOn: null,
  timeZone: "UTC",
};

/** The form of an automatic reply, for the mailbox user and for admins. */
export function VacationForm({
  vacation,
  draft,
  save,
}: {
  vacation: VacationFields | null;
  draft: string;
  save: (fields: VacationFields) => Promise<unknown>;
}) {
  const initial = vacation ?? NONE;
  // Dates are in the browser's time zone.
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const form = useForm({
    initialValues: {
      isOn: initial.isOn,
      subject: initial.subject,
      text: initial.text,
      startsOn: initial.startsOn ?? "",
      endsOn: initial.endsOn ?? "",
    },
    labels: {
      startsOn: "First day",
      endsOn: "Last day",
      subject: "Subject",
      text: "Message",
    },
    checks: {
      endsOn: (ends, { startsOn: starts }) =>
        ends !== "" && ends < starts ? "must not be before the first day" : null,
      subject: (subject, { isOn }) => (isOn ? required(subject, null) : null),
      text: (text, { isOn }) => (isOn ? required(text, null) : null),
    },
    draft,
    send: ({ startsOn, endsOn, ...fields }) =>
      save({
        ...fields,
        startsOn: startsOn || null,
        endsOn: endsOn || null,
        timeZone,
      }),
  });
  return (
    <Form
      form={form}
      maxWidth={560}
      actions={
        <div>
          <SubmitButton form={form}>Save changes</SubmitButton>
          {form.isSaved && (
            <SavedNotice>Saved. {vacationState(vacation, new Date()).text}.</SavedNotice>
          )}
        </div>
      }
    >
      <Switch
        label="Send automatic replies"
        checked={form.values.isOn}
        onChange={({ currentTarget }) => form.set("isOn", currentTarget.checked)}
      />
      <Group gap="md" grow align="flex-start">
        <TextInput
          {...form.field("startsOn")}
          type="date"
          description="Leave empty to start now."
        />
        <TextInput
          {...form.field("endsOn")}
          type="date"
          description="Leave empty for no end date."
        />
      </Group>
      <Text size="sm" c="dimmed">
        Days start and end at midnight in your time zone ({timeZone.replaceAll("_", " ")}).
      </Text>
      <TextInput {...form.field("subject")} placeholder="Away until January 5" autoComplete="off" />
      <Textarea
        {...form.field("text")}
        size="md"
        rows={7}
        placeholder="Thanks for your message. I’m away until January 5. Until then, write to team@example.com."
      />
      <Text size="sm" c="dimmed">
        Each sender gets at most one reply every 7 days. Posthouse replies only if To or Cc contains
        one of your addresses, and never to mailing lists, automated mail, or spam.
      </Text>
    </Form>
  );
}
