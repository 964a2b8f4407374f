"use client";

import { Button, Group, Textarea, TextInput } from "@mantine/core";
import Link from "next/link";
import { useRef, useState } from "react";

import { ContentPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SavedStatus } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { InlineCode } from "#app/console/ui/code.tsx";
import { Panel, SideBySide } from "#app/console/ui/panel.tsx";

import type { TemplateToCreate } from "./queries.ts";
import classes from "./template-form.module.css";
import { fillIn, type SampleValues } from "./template-variables.ts";
import { templateFields, type TemplateValues, usedNames } from "./template-values.ts";
import { VariableFields } from "./variable-fields.tsx";

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
            <SavedStatus form={form} />
          </Group>
        }
      >
        <div className={classes.pair}>
          <TextInput {...form.field("name")} maxLength={100} autoComplete="off" />
          <TextInput
            {...form.field("alias")}
            description="Optional. Use it in API calls in place of the ID."
            placeholder="order-shipped"
            {...PLAIN}
          />
          <TextInput
            {...form.field("from")}
            description="Optional. Emails can override it."
            placeholder="Northwind <hello@northwind.example>"
            {...PLAIN}
          />
          <TextInput
            {...form.field("replyTo")}
            description="Optional. Separate multiple addresses with commas."
            {...PLAIN}
          />
        </div>
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
  return (
    <SideBySide side={fields}>
      <ContentPreview
        subject={fillIn(values.subject, shown)}
        html={fillIn(values.html, shown)}
        text={fillIn(values.text, shown)}
      />
    </SideBySide>
  );
}

const PLAIN = { autoCapitalize: "off", autoComplete: "off", spellCheck: false } as const;

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
