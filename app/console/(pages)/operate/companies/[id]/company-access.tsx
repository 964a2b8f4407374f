import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

import {
  type CompanyChange,
  type CompanyDetail,
  OPERATED,
  useUpdateCompany,
} from "#app/console/(pages)/operate/companies/queries.ts";
import { change } from "#app/console/console-client.ts";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { DangerousAction, Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { useMe } from "#app/console/session.ts";
import { DangerZone, Panel } from "#app/console/ui/panel.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";

import classes from "./company.module.css";

export function CompanyAccess({ company }: { company: CompanyDetail }) {
  // The only company on a server isn't billed, but a state that is already set can be undone.
  const isBilled = useMe()?.hasSeveralCompanies;
  return (
    <Panel title="Access">
      <div>
        {(isBilled || !company.subscriptionActive) && <SubscriptionSwitch company={company} />}
        {(isBilled || company.overdueInvoice) && <InvoiceSwitch company={company} />}
        <ServiceSwitch company={company} />
      </div>
    </Panel>
  );
}

type SwitchRowProps = { name: string; description: string; children: ReactNode };

const SwitchRow = ({ name, description, children }: SwitchRowProps) => (
  <div className={classes.switch}>
    <div className={classes.description}>
      <div className={classes.name}>{name}</div>
      <Text size="sm" c="dimmed">
        {description}
      </Text>
    </div>
    <div>{children}</div>
  </div>
);

type SwitchButtonProps = {
  company: CompanyDetail;
  verb: string;
  after: CompanyChange;
  before: CompanyChange;
  message: string;
};

function SwitchButton({ company, verb, after, before, message }: SwitchButtonProps) {
  const params = { id: company.id };
  const action = useChange("companies.update", {
    invalidates: OPERATED,
    success: message,
    undo: () => change("companies.update", { params, body: before }),
  });
  return (
    <Button
      variant="default"
      aria-busy={action.isPending}
      onClick={() => action.start({ params, body: after })}
    >
      {verb}
    </Button>
  );
}

function SubscriptionSwitch({ company }: { company: CompanyDetail }) {
  const isOn = company.subscriptionActive;
  return (
    <SwitchRow
      name={isOn ? "Subscription active" : "No active subscription"}
      description="Without a subscription, sending fails (account_inactive), and no domains or mailboxes can be created. Incoming mail, the console, and API reads keep working."
    >
      <SwitchButton
        company={company}
        verb={isOn ? "End subscription" : "Start subscription"}
        after={{ subscriptionActive: !isOn }}
        before={{ subscriptionActive: isOn }}
        message={isOn ? "Subscription ended" : "Subscription started"}
      />
    </SwitchRow>
  );
}

function ServiceSwitch({ company }: { company: CompanyDetail }) {
  const isOn = company.serviceEnabled;
  return (
    <SwitchRow
      name={isOn ? "Email service on" : "Email service off"}
      description="When off, all API requests fail (service_disabled), mailboxes can’t send, and scheduled emails fail when due. Incoming mail and the console keep working."
    >
      <SwitchButton
        company={company}
        verb={isOn ? "Turn off service" : "Turn on service"}
        after={{ serviceEnabled: !isOn }}
        before={{ serviceEnabled: isOn }}
        message={isOn ? "Email service turned off" : "Email service turned on"}
      />
    </SwitchRow>
  );
}

function InvoiceSwitch({ company }: { company: CompanyDetail }) {
  const [isOpen, dialog] = useDisclosure();
  const invoice = company.overdueInvoice;
  return (
    <SwitchRow
      name={invoice ? `Invoice ${invoice.number} is overdue` : "No overdue invoice"}
      description={`While an invoice is overdue, API requests fail (account_suspended) with its number and payment URL${
        invoice ? ` (${invoice.paymentUrl})` : ""
      }. Mailboxes, incoming mail, and the console keep working.`}
    >
      {invoice ? (
        <SwitchButton
          company={company}
          verb="Mark as paid"
          after={{ overdueInvoice: null }}
          before={{ overdueInvoice: invoice }}
          message={`Invoice ${invoice.number} marked as paid`}
        />
      ) : (
        <Button variant="default" onClick={dialog.open}>
          Mark invoice as overdue
        </Button>
      )}
      <InvoiceDialog company={company} isOpen={isOpen} onClose={dialog.close} />
    </SwitchRow>
  );
}

type InvoiceDialogProps = { company: CompanyDetail; isOpen: boolean; onClose: () => void };

const InvoiceDialog = ({ company, isOpen, onClose }: InvoiceDialogProps) => (
  <Modal opened={isOpen} onClose={onClose} title="Mark invoice as overdue">
    <InvoiceForm company={company} onClose={onClose} />
  </Modal>
);

function InvoiceForm({ company, onClose }: { company: CompanyDetail; onClose: () => void }) {
  const update = useUpdateCompany();
  const form = useForm({
    initialValues: { number: "", paymentUrl: "" },
    labels: { number: "Invoice number", paymentUrl: "Payment URL" },
    checks: { number: required, paymentUrl: required },
    draft: null,
    send: (overdueInvoice) => update.run({ params: { id: company.id }, body: { overdueInvoice } }),
    within: "overdueInvoice",
    onDone: onClose,
  });

  return (
    <Form form={form} submit="Mark as overdue" onClose={onClose} isDangerous>
      <Text>
        API requests from {company.name} will fail with an error that includes the invoice number
        and the payment URL.
      </Text>
      <TextInput {...form.field("number")} autoComplete="off" data-autofocus />
      <TextInput
        {...form.field("paymentUrl")}
        placeholder="https://"
        type="url"
        autoComplete="off"
      />
    </Form>
  );
}

export function CompanySuspension({ company }: { company: CompanyDetail }) {
  if (company.suspendedAt) return <RestoreCompany company={company} since={company.suspendedAt} />;
  return <SuspendCompany company={company} />;
}

function SuspendCompany({ company }: { company: CompanyDetail }) {
  const { id, name } = company;
  const update = useUpdateCompany();
  if (company.isOwn)
    return (
      <DangerZone title="Suspend this company">
        You’re signed in to this company. To suspend it, sign in to another one first.
      </DangerZone>
    );
  return (
    <DangerousAction
      title="Suspend this company"
      action="Suspend company"
      description="API keys stop working (invalid_api_key). Admins and mailbox users can’t sign in, including in mail apps. Outgoing mail stays on hold until you restore the company or drop the mail. Incoming mail is still delivered."
      question={`Suspend ${name}?`}
      typeToConfirm={name}
      onConfirm={async () => {
        await update.run({ params: { id }, body: { suspended: true } });
        toast(`${name} suspended`);
      }}
    >
      <Stack gap="xs">
        <Text>Effective immediately:</Text>
        <Text component="ul" m={0} pl="md" style={{ listStyle: "revert" }}>
          {suspensionEffects(company).map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </Text>
      </Stack>
    </DangerousAction>
  );
}

function suspensionEffects(company: CompanyDetail): string[] {
  const { apiKeys, admins, sessions, mailboxes, scheduledEmails: scheduled } = company;
  const effects: [count: number, text: string][] = [
    [apiKeys, `${pluralize(apiKeys, "API key")} will fail with invalid_api_key`],
    [admins, `${pluralize(admins, "admin")} can’t sign in`],
    [sessions, `${pluralize(sessions, "session")} will end`],
    [mailboxes, `${pluralize(mailboxes, "mailbox", "mailboxes")} can’t be opened`],
    [scheduled, `${pluralize(scheduled, "scheduled email")} will fail when due`],
  ];
  return [
    ...effects.filter(([count]) => count > 0).map(([, text]) => text),
    "Outgoing mail is put on hold. Incoming mail is still delivered",
  ];
}

function RestoreCompany({ company, since }: { company: CompanyDetail; since: string }) {
  const restoration = useChange("companies.update", {
    invalidates: OPERATED,
    success: `${company.name} restored`,
  });
  const input = { params: { id: company.id }, body: { suspended: false } };
  return (
    <Panel title="Company suspended">
      <Text c="dimmed" mb="md">
        Since <ExactTime at={since} />. When you restore the company, its API keys work again, its
        mail is released, and everyone can sign in again. Scheduled emails that failed aren’t sent.
      </Text>
      <Button aria-busy={restoration.isPending} onClick={() => restoration.start(input)}>
        Restore company
      </Button>
    </Panel>
  );
}
