"use client";

import { Stack, Switch, TextInput } from "@mantine/core";

import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { RadioList } from "#app/console/ui/radio-list.tsx";
import { toast } from "#app/console/ui/toast.tsx";
import { useAction } from "#app/console/ui/use-action.ts";

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
  const form = useForm({
    initialValues: { name },
    labels: { name: "Name" },
    checks: { name: required },
    draft: "company-name",
    send: change.mutateAsync,
    onDone: () => toast("Company name saved"),
  });

  return (
    <Form
      form={form}
      maxWidth={400}
      actions={
        <div>
          <SubmitButton form={form}>Save name</SubmitButton>
        </div>
      }
    >
      <TextInput
        {...form.field("name")}
        description="Shown in the console and in emails from Posthouse."
        autoComplete="organization"
      />
    </Form>
  );
}

function Greylisting({ isOn }: { isOn: boolean }) {
  const change = useChangeSettings();
  const isChecked = change.isPending ? (change.variables.greylisting ?? isOn) : isOn;

  const turn = useAction({
    call: (greylisting: boolean) => change.mutateAsync({ greylisting }),
    success: (_, greylisting) => `Greylisting turned ${greylisting ? "on" : "off"}`,
    undo: (greylisting) => change.mutateAsync({ greylisting: !greylisting }),
  });

  return (
    <Stack gap="sm">
      <Switch
        size="md"
        label="Greylisting"
        description="Defers mail from new senders for a few minutes until their server retries. Most spam servers never retry. Applies to all domains of the company."
        checked={isChecked}
        onChange={(event) => turn.start(event.currentTarget.checked)}
      />
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

  const choose = useAction({
    call: (outgoing_scan: Scan) => change.mutateAsync({ outgoing_scan }),
    success: "Outgoing mail scanning saved",
    undo: () => change.mutateAsync({ outgoing_scan: value }),
  });

  return (
    <Stack gap="sm">
      <RadioList
        label="Spam and viruses"
        description={
          minimum === "off" ? SCANNER : `${SCANNER} The server’s operator requires scanning.`
        }
        choices={SCANS.slice(SCANS.findIndex(({ value }) => value === minimum))}
        value={chosen}
        onChange={choose.start}
      />
    </Stack>
  );
}
