import {
  Box,
  Button,
  Group,
  NativeSelect,
  SegmentedControl,
  Skeleton,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useState } from "react";

import classes from "#app/console/(pages)/emails/emails.module.css";
import type { EmailChoices } from "#app/console/(pages)/emails/queries.ts";
import type { TemplateVersion } from "#app/console/(pages)/templates/queries.ts";
import type { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";

import type { ComposeValues } from "./compose-values.ts";

type SenderFieldsProps = { form: ComposeFields; domains: EmailChoices["domains"] };

export function SenderFields({ form, domains }: SenderFieldsProps) {
  const senderError = form.errors["from"];
  return (
    <div className={classes.sender}>
      <TextInput {...form.field("name")} placeholder="Optional" maxLength={100} />
      <TextInput
        {...form.field("local")}
        {...(senderError && { error: senderError })}
        {...VERBATIM}
      />
      <NativeSelect
        {...form.field("domain")}
        size="md"
        data={domains.map(({ name, maySend }) => ({
          value: name,
          label: maySend ? `@${name}` : `@${name} (not verified)`,
        }))}
      />
    </div>
  );
}

const FIELDS = ["cc", "bcc", "replyTo"] as const;

type OptionalAddressFieldsProps = { form: ComposeFields; values: ComposeValues };

/** Cc, Bcc and Reply-To, each behind a button until it is needed. */
export function OptionalAddressFields({ form, values }: OptionalAddressFieldsProps) {
  const [opened, setOpened] = useState<readonly string[]>([]);
  const isOpen = (name: (typeof FIELDS)[number]) => opened.includes(name) || values[name] !== "";
  const closed = FIELDS.filter((name) => !isOpen(name));
  return (
    <>
      {FIELDS.filter(isOpen).map((name) => (
        <TextInput
          key={name}
          {...form.field(name)}
          autoFocus={opened.at(-1) === name && values[name] === ""}
          autoCapitalize="off"
          spellCheck={false}
        />
      ))}
      {closed.length > 0 && (
        <Group gap="xs">
          {closed.map((name) => (
            <Button
              key={name}
              size="xs"
              variant="default"
              onClick={() => setOpened([...opened, name])}
            >
              Add {COMPOSE_LABELS[name]}
            </Button>
          ))}
        </Group>
      )}
    </>
  );
}

const KINDS = [
  { value: "text", label: "Text" },
  { value: "html", label: "HTML" },
];

type ContentFieldsProps = {
  form: ComposeFields;
  values: ComposeValues;
  version: TemplateVersion | null;
};

/** The email's body as plain text or HTML, or the values of its template. */
export function ContentFields({ form, values, version }: ContentFieldsProps) {
  if (values.template)
    return version ? (
      <VariableValues form={form} values={values} version={version} />
    ) : (
      <Skeleton height={80} />
    );
  const { kind } = values;
  return (
    <Box pos="relative">
      <Textarea
        {...form.field(kind)}
        size="md"
        rows={12}
        resize="vertical"
        className={kind === "html" ? classes.source : undefined}
        placeholder={kind === "html" ? "<p>Hello</p>" : "Hello"}
        spellCheck={kind === "text"}
        {...(kind === "html" && {
          description: "We’ll generate a plain-text version from the HTML.",
        })}
      />
      {/* Next to the label, although it follows the field in the markup. */}
      <Box pos="absolute" top={-6} right={0}>
        <SegmentedControl
          aria-label="Content type"
          size="xs"
          data={KINDS}
          value={kind}
          onChange={(next) => form.set("kind", next === "html" ? "html" : "text")}
        />
      </Box>
    </Box>
  );
}

type VariableValuesProps = { form: ComposeFields; values: ComposeValues; version: TemplateVersion };

function VariableValues({ form, values: { variables }, version }: VariableValuesProps) {
  if (version.variables.length === 0) return null;
  return (
    <fieldset className={classes.variables}>
      <legend className={classes.legend}>Variables</legend>
      {version.variables.map(({ key, type, fallbackValue: fallback }) => (
        <TextInput
          key={key}
          label={key}
          {...(type === "number" && { inputMode: "decimal" })}
          {...(fallback !== null && { placeholder: String(fallback) })}
          maxLength={2000}
          value={variables[key] ?? ""}
          onChange={(event) =>
            form.set("variables", { ...variables, [key]: event.currentTarget.value })
          }
        />
      ))}
      {form.errors["variables"] && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          {form.errors["variables"]}
        </Text>
      )}
    </fieldset>
  );
}

/** The members of the form that its parts use. */
type ComposeFields = Pick<
  ReturnType<typeof useForm<ComposeValues, unknown>>,
  "field" | "set" | "errors"
>;

/** The form's fields in sentences. */
export const COMPOSE_LABELS = {
  name: "Sender name",
  local: "From address",
  domain: "Domain",
  from: "Sender",
  to: "To",
  cc: "Cc",
  bcc: "Bcc",
  replyTo: "Reply-To",
  subject: "Subject",
  template: "Template",
  variables: "Variables",
  text: "Content",
  html: "Content",
  attachments: "Attachments",
  scheduledAt: "Send time",
  tags: "Tags",
};
