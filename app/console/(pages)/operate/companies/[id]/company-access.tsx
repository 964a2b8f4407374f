"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

import {
  type CompanyChange,
  type CompanyDetail,
  useUpdateCompany,
} from "#app/console/(pages)/operate/companies/queries.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/toast.ts";

import classes from "./company.module.css";
import { InvoiceDialog } from "./invoice-dialog.tsx";

/** What can be switched and back at once. Each says what it does to calls, sending, received mail and the console. */
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
  words,
  children,
}: {
  name: string;
  words: string;
  children: ReactNode;
}) {
  return (
    <div className={classes.switch}>
      <div className={classes.words}>
        <div className={classes.name}>{name}</div>
        <Text size="sm" c="dimmed">
          {words}
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
  back,
  done,
}: {
  company: CompanyDetail;
  verb: string;
  change: CompanyChange;
  back: CompanyChange;
  done: string;
}) {
  const update = useUpdateCompany(company.id);
  const act = () =>
    update.mutate(change, {
      onSuccess: () => toast(done, { undo: () => update.mutate(back) }),
    });
  return (
    <>
      <Button variant="default" aria-busy={update.isPending} onClick={act}>
        {verb}
      </Button>
      <FormProblem error={update.error} />
    </>
  );
}

function SubscriptionSwitch({ company }: { company: CompanyDetail }) {
  const isOn = company.subscription_active;
  return (
    <SwitchRow
      name={isOn ? "The subscription is active" : "There is no active subscription"}
      words="Without one, sending through the API and from mailboxes is refused (account_inactive), and no domains or mailboxes can be added; reading, the console and received mail go on."
    >
      <SwitchButton
        company={company}
        verb={isOn ? "End subscription" : "Start subscription"}
        change={{ subscription_active: !isOn }}
        back={{ subscription_active: isOn }}
        done={isOn ? "The subscription has ended" : "The subscription is active"}
      />
    </SwitchRow>
  );
}

function ServiceSwitch({ company }: { company: CompanyDetail }) {
  const isOn = company.service_enabled;
  return (
    <SwitchRow
      name={isOn ? "The service is on" : "The service is off"}
      words="Off, every API call is refused (service_disabled), mailboxes send nothing and emails fail when their time comes; received mail and the console go on."
    >
      <SwitchButton
        company={company}
        verb={isOn ? "Switch service off" : "Switch service on"}
        change={{ service_enabled: !isOn }}
        back={{ service_enabled: isOn }}
        done={isOn ? "The service is off" : "The service is on"}
      />
    </SwitchRow>
  );
}

function InvoiceSwitch({ company }: { company: CompanyDetail }) {
  const [isOpen, dialog] = useDisclosure();
  const invoice = company.overdue_invoice;
  return (
    <SwitchRow
      name={invoice ? `Invoice ${invoice.number} is overdue` : "No invoice is overdue"}
      words={`While one is, API calls are refused (account_suspended) with its number and where to pay it${
        invoice ? ` (${invoice.payment_url})` : ""
      }; mailboxes, received mail and the console go on.`}
    >
      {invoice ? (
        <SwitchButton
          company={company}
          verb="It is paid"
          change={{ overdue_invoice: null }}
          back={{ overdue_invoice: invoice }}
          done={`Invoice ${invoice.number} is paid`}
        />
      ) : (
        <Button variant="default" onClick={dialog.open}>
          An invoice is overdue
        </Button>
      )}
      <InvoiceDialog company={company} isOpen={isOpen} onClose={dialog.close} />
    </SwitchRow>
  );
}
