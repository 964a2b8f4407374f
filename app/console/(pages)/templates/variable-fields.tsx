import { NativeSelect, Text, TextInput } from "@mantine/core";
import { useId } from "react";

import classes from "./template-form.module.css";
import type { EditedVariable, SampleValues } from "./template-variables.ts";
import { UNSET } from "./template-values.ts";

const TYPES = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
];

/** Settings of the variables that the content uses, and values for the preview. */
export function VariableFields({
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
    <fieldset className={classes.variables} aria-describedby={error ? errorId : undefined}>
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
