import { SegmentedControl, Skeleton, Text, Textarea, TextInput } from "@mantine/core";

import type { TemplateVersion } from "#app/console/(pages)/templates/queries.ts";

import type { ComposeFields } from "./compose-fields.ts";
import classes from "./compose-form.module.css";
import type { ComposeValues } from "./compose-values.ts";

const KINDS = [
  { value: "text", label: "Text" },
  { value: "html", label: "HTML" },
];

/** The email's body as plain text or HTML, or the values of its template. */
export function ContentFields({
  form,
  values,
  version,
}: {
  form: ComposeFields;
  values: ComposeValues;
  version: TemplateVersion | null;
}) {
  if (values.template)
    return version ? (
      <VariableValues form={form} values={values} version={version} />
    ) : (
      <Skeleton height={80} />
    );
  const { kind } = values;
  return (
    <div className={classes.content}>
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
      <div className={classes.kind}>
        <SegmentedControl
          aria-label="Content type"
          size="xs"
          data={KINDS}
          value={kind}
          onChange={(next) => form.set("kind", next === "html" ? "html" : "text")}
        />
      </div>
    </div>
  );
}

function VariableValues({
  form,
  values: { variables },
  version,
}: {
  form: ComposeFields;
  values: ComposeValues;
  version: TemplateVersion;
}) {
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
