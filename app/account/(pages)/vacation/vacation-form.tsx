import { Group, Switch, Text, Textarea, TextInput } from "@mantine/core";

import { useSaveVacation, type VacationFields } from "#app/account/rule-queries.ts";
import { vacationState } from "#app/account/vacation-state.ts";
import { SavedNotice } from "#app/account/ui/saved.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

const NONE: VacationFields = {
  ...{ is_on: false, subject: "", text: "" },
  ...{ starts_on: null, ends_on: null, time_zone: "UTC" },
};

export function VacationForm({ vacation }: { vacation: VacationFields | null }) {
  const save = useSaveVacation();
  const initial = vacation ?? NONE;
  // Dates are in the browser's time zone.
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const form = useForm({
    initialValues: {
      ...{ is_on: initial.is_on, subject: initial.subject, text: initial.text },
      ...{ starts_on: initial.starts_on ?? "", ends_on: initial.ends_on ?? "" },
    },
    labels: {
      ...{ starts_on: "First day", ends_on: "Last day", subject: "Subject", text: "Message" },
    },
    checks: {
      ends_on: (ends, { starts_on: starts }) =>
        ends !== "" && ends < starts ? "must not be before the first day" : null,
      subject: (subject, { is_on }) => (is_on ? required(subject, null) : null),
      text: (text, { is_on }) => (is_on ? required(text, null) : null),
    },
    draft: "automatic-reply",
    send: ({ starts_on, ends_on, ...fields }) =>
      save.run({
        ...fields,
        starts_on: starts_on || null,
        ends_on: ends_on || null,
        time_zone: timeZone,
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
        checked={form.values.is_on}
        onChange={({ currentTarget }) => form.set("is_on", currentTarget.checked)}
      />
      <Group gap="md" grow align="flex-start">
        <TextInput
          {...form.field("starts_on")}
          type="date"
          description="Leave empty to start now."
        />
        <TextInput
          {...form.field("ends_on")}
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
