"use client";

import { Button, Checkbox, Group, NativeSelect, Stack, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";

import {
  type ImportServer,
  type NewImports,
  startNewImports,
} from "#app/console/(pages)/mailboxes/import-mail/queries.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { RadioList } from "#app/console/ui/radio-list.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";

import { SingleAccountFields } from "./single-account-fields.tsx";
import { atFields } from "./import-errors.ts";
import { checks, INITIAL, LABELS, type Values } from "./import-values.ts";
import { PRESETS, type PresetName } from "./presets.ts";
import { readAccountList } from "./read-account-list.ts";
import { ServerFields } from "./server-fields.tsx";
import { SourceCheck, useSourceCheck } from "./source-check.tsx";

const TRAIL = [
  { label: "Mailboxes", href: "/console/mailboxes" },
  { label: "Import mail", href: "/console/mailboxes/import-mail" },
];

const SCOPES = [
  { value: "one" as const, label: "One mailbox", help: "Enter the account on the old server." },
  {
    value: "list" as const,
    label: "Several mailboxes",
    help: "Paste a CSV list with the columns account, password and mailbox.",
  },
];

export function NewImport() {
  return (
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
}

function NewImportForm() {
  const router = useRouter();
  const queryClient = useQueryClient();
  const check = useSourceCheck();
  const form = useForm({
    initialValues: INITIAL,
    labels: LABELS,
    checks,
    // It has passwords.
    draft: null,
    send: async (values) => {
      const body = await toBody(values);
      return startNewImports(body).catch((error: unknown) => {
        throw atFields(error, values.scope);
      });
    },
    onDone: () => {
      void queryClient.invalidateQueries({ queryKey: ["mailImports"] });
      router.push("/console/mailboxes/import-mail");
    },
    leavesPage: true,
  });
  const { values } = form;

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
      <ServerFields form={form} />
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
          description="account,password,mailbox in the first line, then one line for each mailbox. Up to 1,000."
          placeholder={"account,password,mailbox\nann@old.example,secret,ann@example.com"}
          rows={8}
          autoComplete="off"
          spellCheck={false}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        />
      )}
      <Checkbox
        size="md"
        label="Keep the password for 14 days"
        description="Encrypted, so that new mail can be imported after the switch without entering it again. Otherwise it’s erased when the import ends."
        checked={values.keepSecret}
        onChange={(event) => form.set("keepSecret", event.currentTarget.checked)}
      />
    </Form>
  );
}

const toSource = ({ host, port, security, secretKind }: Values): ImportServer => ({
  host,
  port: Number(port),
  security,
  secretKind,
});

async function toBody(values: Values): Promise<NewImports> {
  const { scope, account, secret, mailbox, list, keepSecret } = values;
  const accounts = scope === "one" ? [{ account, secret, mailbox }] : await readAccountList(list);
  return { ...toSource(values), keepSecret, accounts };
}

/** Signs in to the account, or to the first one of the list. */
function TestButton({
  values,
  check,
}: {
  values: Values;
  check: ReturnType<typeof useSourceCheck>;
}) {
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
