import { Button, Group, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { useSaveVacation, type VacationFields } from "#app/account/rule-queries.ts";
import { SavedNotice } from "#app/account/ui/saved.tsx";
import { FormError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";

const NONE: VacationFields = {
  ...{ is_on: false, subject: "", text: "" },
  ...{ starts_on: null, ends_on: null, time_zone: "UTC" },
};

export function VacationForm({ vacation }: { vacation: VacationFields | null }) {
  const save = useSaveVacation();
  const initial = vacation ?? NONE;
  const [isOn, setIsOn] = useState(initial.is_on);
  // Dates are in the browser's time zone.
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    save.mutate({
      is_on: isOn,
      subject: formText(form, "subject"),
      text: formText(form, "text"),
      starts_on: formText(form, "starts_on") || null,
      ends_on: formText(form, "ends_on") || null,
      time_zone: timeZone,
    });
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate onChange={() => save.reset()}>
      <Stack gap="md" maw={560}>
        <Switch
          label="Send automatic replies"
          checked={isOn}
          onChange={({ currentTarget }) => setIsOn(currentTarget.checked)}
        />
        <Group gap="md" grow align="flex-start">
          <TextInput
            name="starts_on"
            type="date"
            label="First day"
            description="Leave empty to start now."
            defaultValue={initial.starts_on ?? ""}
          />
          <TextInput
            name="ends_on"
            type="date"
            label="Last day"
            description="Leave empty for no end date."
            defaultValue={initial.ends_on ?? ""}
          />
        </Group>
        <Text size="sm" c="dimmed">
          Days start and end at midnight in your time zone ({timeZone.replaceAll("_", " ")}).
        </Text>
        <TextInput
          name="subject"
          label="Subject"
          placeholder="Away until January 5"
          autoComplete="off"
          defaultValue={initial.subject}
        />
        <Textarea
          name="text"
          label="Message"
          size="md"
          rows={7}
          placeholder="Thanks for your message. I’m away until January 5. Until then, write to team@example.com."
          defaultValue={initial.text}
        />
        <Text size="sm" c="dimmed">
          Each sender gets at most one reply every 7 days. Posthouse replies only if To or Cc
          contains one of your addresses, and never to mailing lists, automated mail, or spam.
        </Text>
        <FormError error={save.error} />
        <div>
          <Button type="submit" aria-busy={save.isPending}>
            Save changes
          </Button>
          {save.isSuccess && (
            <SavedNotice>
              {isOn ? "Saved. Automatic replies are on." : "Saved. Automatic replies are off."}
            </SavedNotice>
          )}
        </div>
      </Stack>
    </form>
  );
}
