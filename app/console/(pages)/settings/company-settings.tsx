"use client";

import { Button, Stack, Switch, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { RadioList } from "#app/console/ui/radio-list.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { toast } from "#app/console/ui/toast.tsx";

import { type CompanySettings, useChangeSettings } from "./queries.ts";

export function CompanySettingsTab({ settings }: { settings: CompanySettings }) {
  return (
    <Stack gap="md">
      <Panel title="Company">
        <CompanyNameForm name={settings.name} />
      </Panel>
      <Panel title="Incoming mail">
        <Greylisting isOn={settings.greylisting} />
      </Panel>
      <Panel title="Outgoing mail">
        <OutgoingScan value={settings.outgoing_scan} minimum={settings.outgoing_scan_minimum} />
      </Panel>
    </Stack>
  );
}

function CompanyNameForm({ name }: { name: string }) {
  const change = useChangeSettings();
  const problem = fieldError(change.error, "name", "Name");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (change.isPending) return;
    const name = formText(new FormData(event.currentTarget), "name");
    change.mutate({ name }, { onSuccess: () => toast("Company name saved") });
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md" maw={400}>
        <TextInput
          name="name"
          label="Name"
          description="Shown in the console and in emails from Posthouse."
          autoComplete="organization"
          defaultValue={name}
          error={problem}
          required
          withAsterisk={false}
        />
        {problem === null && <FormError error={change.error} />}
        <div>
          <Button type="submit" aria-busy={change.isPending}>
            Save name
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function Greylisting({ isOn }: { isOn: boolean }) {
  const change = useChangeSettings();
  const isChecked = change.isPending ? (change.variables.greylisting ?? isOn) : isOn;

  function handleChange(greylisting: boolean) {
    const undo = () => change.mutate({ greylisting: !greylisting });
    change.mutate(
      { greylisting },
      { onSuccess: () => toast(`Greylisting turned ${greylisting ? "on" : "off"}`, { undo }) },
    );
  }

  return (
    <Stack gap="sm">
      <Switch
        size="md"
        label="Greylisting"
        description="Defers mail from new senders for a few minutes until their server retries. Most spam servers never retry. Applies to all domains of the company."
        checked={isChecked}
        onChange={(event) => handleChange(event.currentTarget.checked)}
      />
      <FormError error={change.error} />
    </Stack>
  );
}

type Scan = CompanySettings["outgoing_scan"];

/** Each is stricter than the one before. */
const SCANS: { value: Scan; label: string; help: string }[] = [
  { value: "off", label: "Don’t scan", help: "Outgoing mail is sent as it is." },
  {
    value: "reject",
    label: "Reject spam",
    help: "Mail apps show an error, and emails sent through the API fail. Nothing is sent.",
  },
  {
    value: "hold",
    label: "Put the mailbox on hold",
    help: "Spam from a mailbox waits under On hold, with the rest of its mail to other companies, until an admin decides. Emails sent through the API fail.",
  },
];

const SCANNER =
  "The server’s spam filter scans mail from mailboxes and the API. Mail is never delayed if the filter isn’t running.";

/** @param minimum the operator's: weaker choices aren't offered */
function OutgoingScan({ value, minimum }: { value: Scan; minimum: Scan }) {
  const change = useChangeSettings();
  const chosen = change.isPending ? (change.variables.outgoing_scan ?? value) : value;

  function handleChange(outgoing_scan: Scan) {
    const undo = () => change.mutate({ outgoing_scan: value });
    change.mutate(
      { outgoing_scan },
      { onSuccess: () => toast("Outgoing mail scanning saved", { undo }) },
    );
  }

  return (
    <Stack gap="sm">
      <RadioList
        label="Spam and viruses"
        description={
          minimum === "off" ? SCANNER : `${SCANNER} The server’s operator requires scanning.`
        }
        choices={SCANS.slice(SCANS.findIndex(({ value }) => value === minimum))}
        value={chosen}
        onChange={handleChange}
      />
      <FormError error={change.error} />
    </Stack>
  );
}
