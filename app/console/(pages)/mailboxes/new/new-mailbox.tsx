"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ChangeEvent, useState } from "react";

import { mailboxUrl, parseSizeMb, SIZE_HELP } from "#app/console/(pages)/mailboxes/labels.ts";
import { NoVerifiedDomain, UnitSelect } from "#app/console/(pages)/mailboxes/parts.tsx";
import { TemporaryPassword } from "#app/console/(pages)/mailboxes/passwords.tsx";
import {
  type MailboxOptions,
  mailboxOptionsQuery,
  type MailboxToCreate,
  useCreateMailbox,
} from "#app/console/(pages)/mailboxes/queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { AddressFields, completeAddress } from "#app/console/ui/address-fields.tsx";
import { AddressPicker } from "#app/console/ui/addresses.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { RadioList } from "#app/console/ui/radio-list.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { formatCount } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";

import { suggestLocalPart } from "./suggest-address.ts";

const LIST = "/console/mailboxes";

export function NewMailbox() {
  const router = useRouter();
  const options = useQuery(mailboxOptionsQuery);
  const creation = useCreateMailbox();
  const [shared, setShared] = useState<SharedFields | null>(null);
  const [created, setCreated] = useState(0);

  function createAnother() {
    creation.reset();
    setCreated(created + 1);
  }

  return (
    <>
      <Breadcrumbs trail={[{ label: "Mailboxes", href: LIST }]} />
      <PageHeader
        title="Create mailbox"
        description="A new mailbox can receive mail immediately."
        help="mailboxes"
      />
      <Panel>
        <QueryView query={options} noun="your domains" skeleton={<SkeletonLines count={10} />}>
          {({ mainDomain, ...options }) =>
            mainDomain === null ? (
              <NoVerifiedDomain />
            ) : (
              <NewMailboxForm
                key={created}
                options={{ ...options, mainDomain }}
                start={shared}
                send={creation.mutateAsync}
                onDone={setShared}
              />
            )
          }
        </QueryView>
      </Panel>
      {creation.data && (
        <Created
          answer={creation.data}
          sentTo={creation.variables.instructionsTo ?? ""}
          onOpen={() => router.replace(mailboxUrl(creation.data.id))}
          onCreateAnother={createAnother}
        />
      )}
    </>
  );
}

type Next = { onOpen: () => void; onCreateAnother: () => void };

function Created({
  answer: { id: address, temporaryPassword: password },
  sentTo,
  onOpen,
  onCreateAnother,
}: {
  answer: { id: string; temporaryPassword: string | null };
  sentTo: string;
} & Next) {
  if (password !== null)
    return (
      <TemporaryPassword
        address={address}
        password={password}
        onStored={onOpen}
        onCreateAnother={onCreateAnother}
      />
    );
  return (
    <Modal opened onClose={onOpen} title={`${address} created`} size={560}>
      <Stack gap="md">
        <Text>
          We’re emailing instructions to <strong>{sentTo}</strong>, with a link to choose a
          password. The link works once and expires after 7 days. If it gets lost, reset the
          mailbox’s password.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCreateAnother}>
            Create another
          </Button>
          <Button onClick={onOpen}>Open mailbox</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

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

type NewMailboxFormProps = {
  options: Options;
  start: SharedFields | null;
  send: (fields: MailboxToCreate) => Promise<unknown>;
  onDone: (shared: SharedFields) => void;
};

/**
 * @param start the domain and unit of the mailbox created before
 */
function NewMailboxForm({ options, start, send, onDone }: NewMailboxFormProps) {
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
    <Form form={form} gap="lg" maxWidth={560} submit="Create mailbox" cancelHref={LIST}>
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
          description="The mailbox receives mail sent to these groups."
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
          description="An address they can already access."
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

function toBody({ name, email, domain, groups, ...values }: Values): MailboxToCreate {
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
