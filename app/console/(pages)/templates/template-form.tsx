"use client";

import { Button, Group, NativeSelect, SimpleGrid, Text, Textarea, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useId, useRef, useState } from "react";

import { ContentPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import { useChange } from "#app/console/ui/actions.tsx";
import { InlineCode } from "#app/console/ui/code.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SavedStatus } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel, SideBySide } from "#app/console/ui/panel.tsx";

import type { TemplateToCreate } from "./queries.ts";
import classes from "./template-form.module.css";
import {
  type EditedVariable,
  fillIn,
  newTemplate,
  type SampleValues,
  templateFields,
  type TemplateValues,
  UNSET,
  usedNames,
} from "./template-values.ts";

const LABELS = {
  name: "Name",
  alias: "Alias",
  from: "Sender",
  replyTo: "Reply-To",
  subject: "Subject",
  html: "HTML",
  text: "Text",
  variables: "Variables",
};

/**
 * A template's content, with a preview beside it.
 *
 * @param publishLabel a second button, which publishes what is saved
 */
export function TemplateForm<Answer>({
  initial,
  draft,
  submitLabel,
  publishLabel,
  cancelHref,
  leavesPage = false,
  send,
  onDone,
}: {
  initial: TemplateValues;
  draft: string;
  submitLabel: string;
  publishLabel?: string;
  cancelHref?: string;
  leavesPage?: boolean;
  send: (fields: TemplateToCreate, publishes: boolean) => Promise<Answer>;
  onDone?: (answer: Answer) => void;
}) {
  const publishes = useRef(false);
  const [isPublishing, setIsPublishing] = useState(false);
  const [samples, setSamples] = useState<SampleValues>({});
  const form = useForm({
    initialValues: initial,
    labels: LABELS,
    checks: { name: required, html: required },
    draft,
    send: (values) => send(templateFields(values), publishes.current),
    ...(onDone && { onDone }),
    leavesPage,
  });
  const { values } = form;
  const [isTesting, test] = useDisclosure();
  const names = usedNames(values);
  const shown = sampleValues(names, values, samples);

  /** The pressed button is busy; the form is sent before the next render. */
  function choose(isPublish: boolean) {
    publishes.current = isPublish;
    setIsPublishing(isPublish);
  }

  const fields = (
    <Panel>
      <Form
        form={form}
        gap="lg"
        actions={
          <Group gap="xs">
            <Button
              type="submit"
              aria-busy={form.isPending && !isPublishing}
              onClick={() => choose(false)}
              {...(publishLabel && { variant: "default" })}
            >
              {submitLabel}
            </Button>
            {publishLabel && (
              <Button
                type="submit"
                aria-busy={form.isPending && isPublishing}
                onClick={() => choose(true)}
              >
                {publishLabel}
              </Button>
            )}
            {cancelHref && (
              <Button component={Link} href={cancelHref} variant="default" onClick={form.discard}>
                Cancel
              </Button>
            )}
            <Button variant="default" onClick={test.open}>
              Send test
            </Button>
            <SavedStatus form={form} />
          </Group>
        }
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <TextInput {...form.field("name")} maxLength={100} autoComplete="off" />
          <TextInput
            {...form.field("alias")}
            description="Optional. Use it in API calls in place of the ID."
            placeholder="order-shipped"
            {...VERBATIM}
          />
          <TextInput
            {...form.field("from")}
            description="Optional. Emails can override it."
            placeholder="Northwind <hello@northwind.example>"
            {...VERBATIM}
          />
          <TextInput
            {...form.field("replyTo")}
            description="Optional. Separate multiple addresses with commas."
            {...VERBATIM}
          />
        </SimpleGrid>
        <TextInput {...form.field("subject")} description={SYNTAX} maxLength={998} />
        <Textarea
          {...form.field("html")}
          size="md"
          rows={14}
          resize="vertical"
          className={classes.source}
          placeholder="<p>Hi {{{NAME}}}</p>"
          spellCheck={false}
        />
        <Textarea
          {...form.field("text")}
          description="Leave empty to generate it from the HTML."
          size="md"
          rows={4}
          resize="vertical"
        />
        <VariableFields
          names={names}
          variables={values.variables}
          onChange={(variables) => form.set("variables", variables)}
          samples={samples}
          onSamples={setSamples}
          error={form.errors["variables"] ?? null}
        />
      </Form>
    </Panel>
  );
  const filled = {
    subject: fillIn(values.subject, shown),
    html: fillIn(values.html, shown),
    text: fillIn(values.text, shown),
  };
  return (
    <SideBySide side={fields}>
      <ContentPreview {...filled} />
      {isTesting && <TestDialog from={values.from} content={filled} onClose={test.close} />}
    </SideBySide>
  );
}

const TestDialog = onDemand(() => import("./send-test.tsx").then(({ TestDialog }) => TestDialog));

const SYNTAX = <InlineCode text="Write variables as `{{{NAME}}}`, here and in the content." />;

/** Sample values, or else fallback values. */
function sampleValues(
  names: string[],
  { variables }: TemplateValues,
  samples: SampleValues,
): SampleValues {
  const entries = names.flatMap((name) => {
    const value = samples[name] || variables[name]?.fallback;
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

const TYPES = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
];

/** Settings of the variables that the content uses, and values for the preview. */
function VariableFields({
  names,
  variables,
  onChange,
  samples,
  onSamples,
  error,
}: {
  names: string[];
  variables: Record<string, EditedVariable>;
  onChange: (variables: Record<string, EditedVariable>) => void;
  samples: SampleValues;
  onSamples: (samples: SampleValues) => void;
  error: string | null;
}) {
  const errorId = useId();
  if (names.length === 0) return null;
  return (
    <fieldset aria-describedby={error ? errorId : undefined}>
      <legend className={classes.legend}>Variables</legend>
      <Text size="sm" c="dimmed">
        Without a fallback value, each email must provide one. Sample values only appear in the
        preview.
      </Text>
      {names.map((name) => {
        const variable = variables[name] ?? UNSET;
        const set = (change: Partial<EditedVariable>) =>
          onChange({ ...variables, [name]: { ...variable, ...change } });
        return (
          <div key={name} className={classes.variable}>
            <span className={classes.name}>{name}</span>
            <NativeSelect
              size="md"
              label="Type"
              aria-label={`Type of ${name}`}
              data={TYPES}
              value={variable.type}
              onChange={(event) =>
                set({ type: event.currentTarget.value === "number" ? "number" : "string" })
              }
            />
            <TextInput
              label="Fallback"
              aria-label={`Fallback value of ${name}`}
              value={variable.fallback}
              maxLength={2000}
              onChange={(event) => set({ fallback: event.currentTarget.value })}
            />
            <TextInput
              label="Sample"
              aria-label={`Sample value of ${name}`}
              value={samples[name] ?? ""}
              onChange={(event) => onSamples({ ...samples, [name]: event.currentTarget.value })}
            />
          </div>
        );
      })}
      {error && (
        <Text id={errorId} role="alert" size="sm" c="var(--mantine-color-error)" mt="xs">
          {error}
        </Text>
      )}
    </fieldset>
  );
}

const LIST = "/console/templates";

export function NewTemplate() {
  const router = useRouter();
  const creation = useChange("templates.create", {
    invalidates: ["templates.list"],
    success: "Template created as a draft",
  });
  return (
    <>
      <Breadcrumbs trail={[{ label: "Templates", href: LIST }]} />
      <PageHeader
        title="Create template"
        description="Emails can use the template once you publish it."
        help="templates"
      />
      <TemplateForm
        initial={newTemplate}
        draft="new-template"
        submitLabel="Create template"
        cancelHref={LIST}
        leavesPage
        send={(body) => creation.run({ body })}
        onDone={({ id }) => router.replace(`${LIST}/${id}`)}
      />
    </>
  );
}
