"use client";

import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  PasswordInput,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";

import {
  checkAccount,
  type ImportServer,
  isApp,
  type NewImports,
  startNewImports,
} from "#app/console/(pages)/mailboxes/import-mail/queries.ts";
import { AddressPicker } from "#app/console/ui/addresses.tsx";
import { InlineCode } from "#app/console/ui/code.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { RadioList } from "#app/console/ui/radio-list.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";
import { formatCount, pluralize } from "#app/console/ui/format.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import {
  atFields,
  checks,
  type ImportForm,
  INITIAL,
  IMPORT_LABELS,
  type PresetName,
  PRESETS,
  readAccountList,
  secretOf,
  type Values,
} from "./import-values.ts";

const LIST = "/console/mailboxes/import-mail";
const TRAIL = [
  { label: "Mailboxes", href: "/console/mailboxes" },
  { label: "Import mail", href: LIST },
];

const MONOSPACE = { input: { fontFamily: "var(--mantine-font-family-monospace)" } };

const SCOPES = [
  { value: "one" as const, label: "One mailbox", help: "Enter the account on the old server." },
  {
    value: "list" as const,
    label: "Several mailboxes",
    help: "Paste a list of accounts.",
  },
];

export const NewImport = () => (
  <>
    <Breadcrumbs trail={TRAIL} />
    <PageHeader
      title="New import"
      description="The mailboxes must exist here already. If you imported this account before, only new mail is imported."
    />
    <Panel>
      <NewImportForm />
    </Panel>
  </>
);

function NewImportForm() {
  const router = useRouter();
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: INITIAL,
    labels: IMPORT_LABELS,
    checks,
    // It has passwords.
    draft: null,
    send: async (values) => {
      const body = await toBody(values);
      return startNewImports(body).catch((error: unknown) => {
        throw atFields(error, values);
      });
    },
    onDone: () => {
      void queryClient.invalidateQueries({ queryKey: ["mailImports"] });
      router.push(LIST);
    },
    leavesPage: true,
  });
  const { values } = form;
  const check = useSourceCheck((error) => form.mark(atFields(error, values)));

  function choose(preset: PresetName) {
    form.set("preset", preset);
    const source: Partial<ImportServer> = PRESETS[preset].source;
    if (source.host !== undefined) form.set("host", source.host);
    if (source.port !== undefined) form.set("port", String(source.port));
    if (source.security) form.set("security", source.security);
    if (source.secretKind) form.set("secretKind", source.secretKind);
  }

  return (
    <Form
      form={form}
      gap="lg"
      maxWidth={560}
      actions={
        <Stack gap="md">
          <SourceCheck check={check} />
          <Group gap="xs">
            <SubmitButton form={form}>
              {values.scope === "one" ? "Import mail" : "Import list"}
            </SubmitButton>
            <TestButton values={values} check={check} />
            <Button component={Link} href={LIST} variant="default" onClick={form.discard}>
              Cancel
            </Button>
          </Group>
        </Stack>
      }
    >
      <NativeSelect
        size="md"
        label="Old server"
        description={PRESETS[values.preset].help}
        value={values.preset}
        data={Object.entries(PRESETS).map(([value, { label }]) => ({ value, label }))}
        onChange={(event) => choose(event.currentTarget.value as PresetName)}
      />
      {isApp(values.secretKind) ? <AppFields form={form} /> : <ServerFields form={form} />}
      <RadioList
        label="Mailboxes"
        choices={SCOPES}
        value={values.scope}
        onChange={(scope) => form.set("scope", scope)}
      />
      {values.scope === "one" ? (
        <SingleAccountFields form={form} />
      ) : (
        <Textarea
          {...form.field("list")}
          {...(isApp(values.secretKind) ? APP_LIST : PASSWORD_LIST)}
          rows={8}
          {...VERBATIM}
          styles={MONOSPACE}
        />
      )}
      <Checkbox
        size="md"
        label={`Keep the ${isApp(values.secretKind) ? "credentials" : "password"} for 14 days`}
        description="Stored encrypted, so that you can import new mail after the switch. Otherwise, erased when the import ends."
        checked={values.keepSecret}
        onChange={(event) => form.set("keepSecret", event.currentTarget.checked)}
      />
    </Form>
  );
}

const PASSWORD_LIST = {
  description:
    "account,password,mailbox in the first line, then one line for each mailbox. Up to 1,000.",
  placeholder: "account,password,mailbox\nann@old.example,secret,ann@example.com",
};

const APP_LIST = {
  description:
    "account in the first line, then one address on each line. Up to 1,000. Add a second column, mailbox, if addresses here are different.",
  placeholder: "account\nann@example.com\nbob@example.com",
};

const toSource = ({ host, port, security, secretKind }: Values): ImportServer => ({
  host,
  port: Number(port),
  security,
  secretKind,
});

async function toBody(values: Values): Promise<NewImports> {
  const { scope, account, mailbox, keepSecret } = values;
  const accounts =
    scope === "one"
      ? [{ account, secret: secretOf(values), mailbox }]
      : await readAccountList(values);
  return { ...toSource(values), keepSecret, accounts };
}

type TestButtonProps = { values: Values; check: ReturnType<typeof useSourceCheck> };

/** Signs in to the account, or to the first one of the list. */
function TestButton({ values, check }: TestButtonProps) {
  const test = useMutation({
    mutationFn: async () => {
      const [first] = (await toBody(values)).accounts;
      check.mutate({ ...toSource(values), account: first!.account, secret: first!.secret });
    },
    onError: (error) => check.fail(error),
  });
  return (
    <Button
      variant="default"
      aria-busy={check.isPending || test.isPending}
      onClick={() => test.mutate()}
    >
      Test connection
    </Button>
  );
}

const SECURITIES = [
  { value: "tls", label: "TLS" },
  { value: "starttls", label: "STARTTLS" },
  { value: "none", label: "None" },
];

/** The usual ports. */
const PORTS: Record<ImportServer["security"], string> = {
  tls: "993",
  starttls: "143",
  none: "143",
};

function ServerFields({ form }: { form: ImportForm }) {
  const { values } = form;
  return (
    <>
      <TextInput {...form.field("host")} placeholder="imap.example.com" {...VERBATIM} />
      <Group gap="md" align="start" grow>
        <NativeSelect
          size="md"
          label="Security"
          data={SECURITIES}
          value={values.security}
          onChange={(event) => {
            const security = event.currentTarget.value as ImportServer["security"];
            if (values.port === PORTS[values.security]) form.set("port", PORTS[security]);
            form.set("security", security);
          }}
        />
        <TextInput {...form.field("port")} inputMode="numeric" autoComplete="off" />
      </Group>
      {values.security === "none" && (
        <Text role="status" c="var(--mantine-color-error)">
          Passwords and mail are sent unencrypted. Anyone on the network path can read them.
        </Text>
      )}
    </>
  );
}

/** The credentials of an app that can open all mailboxes of the company. */
function AppFields({ form }: { form: ImportForm }) {
  if (form.values.secretKind === "google")
    return (
      <Textarea
        {...form.field("serviceKey")}
        description={
          <InlineCode text="The JSON file of the service account’s key. In the Google Admin console, under Security, API controls, Domain-wide delegation, add its client ID with the scope `https://mail.google.com/`." />
        }
        placeholder={'{"type": "service_account", …}'}
        rows={5}
        {...VERBATIM}
        styles={MONOSPACE}
      />
    );
  return (
    <>
      <Text c="dimmed">
        <InlineCode text="In the Microsoft Entra admin center, register an app, and give it the application permission `IMAP.AccessAsApp` of Office 365 Exchange Online with admin consent. In Exchange Online PowerShell, run `New-ServicePrincipal` once, and `Add-MailboxPermission` with `FullAccess` for each mailbox." />
      </Text>
      <TextInput {...form.field("tenantId")} {...VERBATIM} />
      <TextInput {...form.field("clientId")} {...VERBATIM} />
      <PasswordInput {...form.field("clientSecret")} autoComplete="off" />
    </>
  );
}

const KINDS = [
  { value: "password", label: "Password" },
  { value: "oauth", label: "OAuth access token" },
];

function SingleAccountFields({ form }: { form: ImportForm }) {
  const { secretKind: kind } = form.values;
  return (
    <>
      <TextInput
        {...form.field("account")}
        description="The user name on the old server, usually the email address."
        {...VERBATIM}
      />
      {!isApp(kind) && (
        <>
          <NativeSelect
            size="md"
            label="Sign in with"
            data={KINDS}
            value={kind}
            onChange={(event) =>
              form.set("secretKind", event.currentTarget.value as ImportServer["secretKind"])
            }
          />
          <PasswordInput
            {...form.field("secret")}
            label={kind === "oauth" ? "Access token" : "Password"}
            autoComplete="off"
          />
        </>
      )}
      <AddressPicker
        {...form.field("mailbox")}
        suggests={["mailbox"]}
        value={form.values.mailbox === "" ? [] : [form.values.mailbox]}
        onChange={(entries) => form.set("mailbox", entries.at(-1) ?? "")}
      />
    </>
  );
}

/** A test of the connection. `fail` shows an error that prevented it, at the form's fields (`mark`) if they show it. */
function useSourceCheck(mark: (error: Error) => boolean) {
  const [error, setError] = useState<Error | null>(null);
  function fail(error: Error) {
    check.reset();
    setError(mark(error) ? null : error);
  }
  const check = useMutation({
    mutationFn: checkAccount,
    onMutate: () => setError(null),
    onError: fail,
  });
  return { mutate: check.mutate, isPending: check.isPending, data: check.data, error, fail };
}

/** What the last test found. */
function SourceCheck({ check }: { check: ReturnType<typeof useSourceCheck> }) {
  if (check.error) return <FormError error={check.error} />;
  if (!check.data) return null;
  const { folders, messages } = check.data;
  return (
    <Stack gap="xs">
      <Text role="status">
        Connected: {pluralize(messages, "message")} in {pluralize(folders.length, "folder")}.
      </Text>
      <ItemList label="Folders on the old server">
        {folders.map(({ source, target, messages }) => (
          <ItemRow key={source} title={source} actions={formatCount(messages)}>
            {target !== source && `Into ${target}`}
          </ItemRow>
        ))}
      </ItemList>
    </Stack>
  );
}
