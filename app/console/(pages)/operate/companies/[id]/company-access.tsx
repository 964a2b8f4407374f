"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

import {
  type CompanyChange,
  type CompanyDetail,
  useSwitchCompanyState,
} from "#app/console/(pages)/operate/companies/queries.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import classes from "./company.module.css";
import { InvoiceDialog } from "./invoice-dialog.tsx";

export function CompanyAccess({ company }: { company: CompanyDetail }) {
  return (
    <Panel title="Access">
      <div>
        <SubscriptionSwitch company={company} />
        <InvoiceSwitch company={company} />
        <ServiceSwitch company={company} />
      </div>
    </Panel>
  );
}

function SwitchRow({
  name,
  description,
  children,
}: {
  name: string;
  description: string;
  children: ReactNode;
}) {
  return (
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
}

function SwitchButton({
  company,
  verb,
  change,
  undo,
  message,
}: {
  company: CompanyDetail;
  verb: string;
  change: CompanyChange;
  undo: CompanyChange;
  message: string;
}) {
  const action = useSwitchCompanyState(company.id, { change, undo, success: message });
  return (
    <Button variant="default" aria-busy={action.isPending} onClick={() => action.start()}>
      {verb}
    </Button>
  );
}

function SubscriptionSwitch({ company }: { company: CompanyDetail }) {
  const isOn = company.subscriptionActive;
  return (
    <SwitchRow
      name={isOn ? "Subscription active" : "No active subscription"}
      description="Without a subscription, sending fails (account_inactive) and the company can’t create domains or mailboxes. Reading through the API, the console, and incoming mail keep working."
    >
      <SwitchButton
        company={company}
        verb={isOn ? "End subscription" : "Start subscription"}
        change={{ subscriptionActive: !isOn }}
        undo={{ subscriptionActive: isOn }}
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
        change={{ serviceEnabled: !isOn }}
        undo={{ serviceEnabled: isOn }}
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
          change={{ overdueInvoice: null }}
          undo={{ overdueInvoice: invoice }}
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
