"use client";

import { Group, Skeleton, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { SavedNotice } from "#app/account/passwords.tsx";
import { rulesQuery, useSaveVacation, type VacationFields } from "#app/account/queries.ts";
import { useVacationState } from "#app/account/vacation-state.ts";
import { readerTimeZone } from "#app/console/ui/datetime-local.ts";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { useTexts } from "#app/console/ui/texts.tsx";

export function AutomaticReply() {
  const text = useTexts();
  const rules = useQuery(rulesQuery);
  const save = useSaveVacation();
  return (
    <>
      <PageHeader title={text("vacation")} description={text("vacation.text")} />
      <Panel>
        <QueryView query={rules} noun={text("noun.vacation")} skeleton={<Skeleton height={380} />}>
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
  const { text, ...status } = useVacationState(vacation, useTexts());
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

type VacationFormProps = {
  vacation: VacationFields | null;
  draft: string;
  save: (fields: VacationFields) => Promise<unknown>;
};

/** The form of an automatic reply, for the mailbox user and for admins. */
export function VacationForm({ vacation, draft, save }: VacationFormProps) {
  const text = useTexts();
  const initial = vacation ?? NONE;
  const saved = useVacationState(vacation, text);
  // Dates are in the browser's time zone.
  const timeZone = readerTimeZone();
  const form = useForm({
    initialValues: {
      isOn: initial.isOn,
      subject: initial.subject,
      text: initial.text,
      startsOn: initial.startsOn ?? "",
      endsOn: initial.endsOn ?? "",
    },
    labels: {
      startsOn: text("vacation.first"),
      endsOn: text("vacation.last"),
      subject: text("filters.subject"),
      text: text("vacation.message"),
    },
    checks: {
      endsOn: (ends, { startsOn: starts }) =>
        ends !== "" && ends < starts ? text("vacation.order") : null,
      subject: (subject, { isOn }) => (isOn ? required(subject, null) : null),
      text: (message, { isOn }) => (isOn ? required(message, null) : null),
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
          <SubmitButton form={form}>{text("form.saveChanges")}</SubmitButton>
          {form.isSaved && (
            <SavedNotice>{text("vacation.saved", { state: saved.text })}</SavedNotice>
          )}
        </div>
      }
    >
      <Switch
        label={text("vacation.send")}
        checked={form.values.isOn}
        onChange={({ currentTarget }) => form.set("isOn", currentTarget.checked)}
      />
      <Group gap="md" grow align="flex-start">
        <TextInput
          {...form.field("startsOn")}
          type="date"
          description={text("vacation.first.hint")}
        />
        <TextInput {...form.field("endsOn")} type="date" description={text("vacation.last.hint")} />
      </Group>
      <Text size="sm" c="dimmed">
        {text("vacation.zone", { zone: timeZone.replaceAll("_", " ") })}
      </Text>
      <TextInput
        {...form.field("subject")}
        placeholder={text("vacation.subject.example")}
        autoComplete="off"
      />
      <Textarea
        {...form.field("text")}
        size="md"
        rows={7}
        placeholder={text("vacation.message.example")}
      />
      <Text size="sm" c="dimmed">
        {text("vacation.limits")}
      </Text>
    </Form>
  );
}
