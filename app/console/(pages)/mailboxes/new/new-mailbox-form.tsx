"use client";

import { Group, TextInput } from "@mantine/core";
import type { ChangeEvent, ReactNode } from "react";

import { SIZE_HELP, parseSizeMb } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";
import type { MailboxOptions, NewMailbox } from "#app/console/(pages)/mailboxes/queries.ts";
import { UnitSelect } from "#app/console/(pages)/mailboxes/unit-select.tsx";
import { usePrivileges } from "#app/console/session.ts";
import { AddressPicker } from "#app/console/ui/addresses.tsx";
import { AddressFields, completeAddress } from "#app/console/ui/address-fields.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { RadioList } from "#app/console/ui/radio-list.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { formatCount } from "#app/console/ui/format.ts";

import { suggestLocalPart } from "./suggest-address.ts";

/** How the mailbox user gets to know the password. */
type Handover = "password" | "instructions";

const HANDOVERS = [
  {
    value: "password" as const,
    label: "Show a temporary password",
    help: "You give it to the mailbox user, who sets a new one at the first sign-in.",
  },
  {
    value: "instructions" as const,
    label: "Email instructions to a private address",
    help: "With a link to choose a password. It works once and expires after 7 days.",
  },
];

type Options = MailboxOptions & { mainDomain: string };
type Values = {
  name: string;
  email: string;
  domain: string;
  quotaMb: string;
  orgUnitId: string;
  groups: string[];
  aliases: string[];
  handover: Handover;
  instructionsTo: string;
};

/** What the next mailbox probably has in common with this one. */
export type SharedFields = { domain: string; orgUnitId: string };

/**
 * @param start the domain and unit of the mailbox created before
 * @param aside shown next to the submit button
 */
export function NewMailboxForm({
  options,
  start,
  send,
  onDone,
  aside,
}: {
  options: Options;
  start: SharedFields | null;
  send: (fields: NewMailbox) => Promise<unknown>;
  onDone: (shared: SharedFields) => void;
  aside: ReactNode;
}) {
  const privileges = usePrivileges();
  const units = options.units.filter((unit) => unit.mayCreate);
  const form = useForm({
    initialValues: initialValues(options, start),
    labels: {
      name: "Name",
      email: "Address",
      quotaMb: "Storage limit",
      orgUnitId: "Unit",
      groups: "Groups",
      aliases: "Aliases",
      instructionsTo: "Private address",
    },
    checks: {
      name: required,
      email: required,
      instructionsTo: (to, { handover }) => (handover === "password" ? null : required(to, null)),
    },
    draft: "new-mailbox",
    entries: ({ groups, aliases }) => ({ groups, aliases }),
    send: (values) => send(toBody(values)),
    onDone: (_, { domain, orgUnitId }) => onDone({ domain, orgUnitId }),
  });
  const { values } = form;
  const isUpdatable = units.find(({ id }) => String(id) === values.orgUnitId)?.mayUpdate;

  /** Suggests an address as long as none was typed. */
  function changeName(event: ChangeEvent<HTMLInputElement>) {
    const name = event.currentTarget.value;
    if (values.email === suggestLocalPart(values.name)) form.set("email", suggestLocalPart(name));
    form.set("name", name);
  }

  return (
    <Form
      form={form}
      gap="lg"
      maxWidth={560}
      actions={
        <Group gap="xs">
          <SubmitButton form={form}>Create mailbox</SubmitButton>
          {aside}
        </Group>
      }
    >
      <TextInput
        {...form.field("name")}
        onChange={changeName}
        description="Shown next to the address."
        placeholder="Ann Lee"
        maxLength={120}
        autoComplete="off"
        data-autofocus
      />
      <AddressFields
        address={form.field("email")}
        domain={form.field("domain")}
        domains={options.domains}
        placeholder="ann.lee"
      />
      {units.length > 1 && (
        <UnitSelect
          units={units}
          value={values.orgUnitId}
          onChange={(unit) => form.set("orgUnitId", unit)}
          error={form.errors["orgUnitId"] ?? null}
        />
      )}
      {privileges.has("manage_groups") && (
        <AddressPicker
          {...form.field("groups")}
          suggests={["group"]}
          description="The mailbox user gets mail to these groups."
        />
      )}
      {isUpdatable && (
        <AddressPicker
          {...form.field("aliases")}
          suggests={[]}
          takesNames
          description={`More addresses of the mailbox, such as press or press@${values.domain}.`}
        />
      )}
      <TextInput
        {...form.field("quotaMb")}
        label="Storage limit in MB"
        description={sizeHelp(options)}
        placeholder={String(options.defaultQuotaMb)}
        inputMode="numeric"
        autoComplete="off"
      />
      <RadioList
        label="Sign-in"
        choices={HANDOVERS}
        value={values.handover}
        onChange={(handover) => form.set("handover", handover)}
      />
      {values.handover === "instructions" && (
        <TextInput
          {...form.field("instructionsTo")}
          type="email"
          description="An address that the mailbox user can read already."
          maxLength={320}
          autoComplete="off"
        />
      )}
    </Form>
  );
}

function initialValues({ units, mainDomain }: Options, start: SharedFields | null): Values {
  // With a single allowed unit, there is no select.
  const unit = units.find(({ mayCreate }) => mayCreate)?.id ?? "";
  return {
    name: "",
    email: "",
    domain: mainDomain,
    quotaMb: "",
    orgUnitId: String(unit),
    groups: [],
    aliases: [],
    handover: "password",
    instructionsTo: "",
    ...start,
  };
}

function toBody({ name, email, domain, groups, ...values }: Values): NewMailbox {
  const quota = parseSizeMb(values.quotaMb);
  const aliases = values.aliases.map((alias) => completeAddress(alias, domain));
  return {
    email: completeAddress(email, domain),
    name,
    ...(quota !== undefined && { quotaMb: quota }),
    ...(values.orgUnitId !== "" && { orgUnitId: Number(values.orgUnitId) }),
    ...(groups.length > 0 && { groups }),
    ...(aliases.length > 0 && { aliases }),
    ...(values.handover === "instructions" && { instructionsTo: values.instructionsTo }),
  };
}

function sizeHelp({ defaultQuotaMb: usual, quotaMbMax: most }: MailboxOptions): string {
  const left = `${SIZE_HELP} If empty, the mailbox gets ${formatCount(usual)} MB.`;
  return most === null ? left : `${left} Your plan allows ${formatCount(most)} MB.`;
}
