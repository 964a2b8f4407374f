import { Switch } from "@mantine/core";

import { toast } from "#app/console/ui/actions.tsx";
import { type Change, ChangeBar, Form } from "#app/console/ui/form/form.tsx";
import { RadioList } from "#app/console/ui/radio-list.tsx";
import { changedValues, useForm } from "#app/console/ui/form/use-form.ts";
import { formatCount, pluralize } from "#app/console/ui/format.ts";

import { type CompanySettings, useChangeSettings } from "./queries.ts";

type Scan = CompanySettings["outgoingScan"];

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

/** Affects everyone in the company, so changes wait until they are saved. */
export function MailFilterForm({ settings }: { settings: CompanySettings }) {
  const change = useChangeSettings();
  const { outgoingScanMinimum: minimum } = settings;
  const stored = { greylisting: settings.greylisting, outgoingScan: settings.outgoingScan };
  const form = useForm({
    initialValues: stored,
    labels: { greylisting: "Greylisting", outgoingScan: "Spam and viruses in outgoing mail" },
    draft: "mail-filter",
    send: (values) => change.run({ body: changedValues(values, stored) }),
    followsServer: true,
    onDone: () => toast("Mail filtering saved"),
  });

  return (
    <Form
      form={form}
      actions={<ChangeBar form={form} changes={mailChanges(form.values, settings)} />}
    >
      <Switch
        size="md"
        label="Greylisting"
        description="Defers mail from new senders for a few minutes until their server retries. Most spam servers never retry."
        checked={form.values.greylisting}
        onChange={(event) => form.set("greylisting", event.currentTarget.checked)}
      />
      <RadioList
        label="Spam and viruses in outgoing mail"
        description={
          minimum === "off" ? SCANNER : `${SCANNER} The server’s operator requires scanning.`
        }
        choices={SCANS.slice(SCANS.findIndex(({ value }) => value === minimum))}
        value={form.values.outgoingScan}
        onChange={(scan) => form.set("outgoingScan", scan)}
      />
    </Form>
  );
}

type MailValues = Pick<CompanySettings, "greylisting" | "outgoingScan">;

type Stored = MailValues & Pick<CompanySettings, "mailboxes">;

/** What saving the settings for the company's mail would do. */
export function mailChanges(
  { greylisting, outgoingScan: scan }: MailValues,
  stored: Stored,
): Change[] {
  const changes: Change[] = [];
  if (greylisting !== stored.greylisting) {
    const mailboxes = pluralize(stored.mailboxes, "mailbox", "mailboxes");
    const text = greylisting
      ? `Turn on greylisting for ${mailboxes}: mail from new senders arrives minutes later`
      : `Turn off greylisting for ${mailboxes}`;
    changes.push({ name: "greylisting", text });
  }
  if (scan !== stored.outgoingScan)
    changes.push({ name: "outgoingScan", text: scanText(scan, stored.mailboxes) });
  return changes;
}

function scanText(scan: MailValues["outgoingScan"], mailboxes: number): string {
  const senders = `${pluralize(mailboxes, "mailbox", "mailboxes")} and the API`;
  if (scan === "off") return `Stop scanning mail from ${senders}`;
  if (scan === "reject") return `Reject spam from ${senders}`;
  const held = mailboxes === 1 ? "The mailbox" : `Any of ${formatCount(mailboxes)} mailboxes`;
  return `${held} that sends spam is put on hold; spam sent through the API fails`;
}
