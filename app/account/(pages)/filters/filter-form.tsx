import { Button, CloseButton, NativeSelect, Text, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";

import type { Filter } from "#app/account/queries.ts";
import { looksLikeAddress } from "#app/console/ui/form/checks.ts";
import type { FieldErrors } from "#app/console/ui/form/field-errors.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { type GetText, useTexts } from "#app/console/ui/texts.tsx";

import classes from "./filter-form.module.css";

type Action = Filter["action"];

const NEW: Filter = {
  name: "",
  isOn: true,
  match: "all",
  conditions: [{ field: "from", test: "contains", value: "" }],
  action: { kind: "file", folder: "" },
};

const MATCHES = ["all", "any"] as const;
const ACTIONS = ["file", "flag", "read", "discard"] as const;
const FIELDS = ["from", "to", "subject"] as const;
const TESTS = ["contains", "is"] as const;

const CONDITIONS_MAX = 10;

const labelsOf = (text: GetText) => ({
  name: text("name"),
  "action.folder": text("filters.folder"),
  ...Object.fromEntries(
    Array.from({ length: CONDITIONS_MAX }, (_, at) => [
      `conditions.${at}.value`,
      text("filters.condition.value", { number: at + 1 }),
    ]),
  ),
});

type FilterFormProps = {
  initial: Filter | null;
  place: number;
  send: (filter: Filter) => Promise<unknown>;
  onDone: () => void;
};

/**
 * @param initial null to create a filter
 * @param place of the filter in the list
 */
export function FilterForm({ initial, place, send, onDone }: FilterFormProps) {
  const text = useTexts();
  const form = useForm<Filter, unknown>({
    initialValues: initial ?? NEW,
    labels: labelsOf(text),
    draft: `filter-${place}`,
    send,
    within: `filters.${place}`,
    onDone,
  });
  const { match, conditions, action } = form.values;

  return (
    <Form form={form} submit={text(initial ? "filters.save" : "filters.create")}>
      <TextInput
        {...form.field("name")}
        placeholder={text("filters.name.example")}
        autoComplete="off"
        data-autofocus
      />
      <NativeSelect
        label={text("filters.match")}
        size="md"
        data={MATCHES.map((value) => ({ value, label: text(`filters.match.${value}`) }))}
        value={match}
        onChange={({ currentTarget }) =>
          form.set("match", currentTarget.value === "any" ? "any" : "all")
        }
      />
      <FilterConditions
        conditions={conditions}
        errors={form.errors}
        onChange={(changed) => form.set("conditions", changed)}
      />
      <NativeSelect
        label={text("filters.action")}
        size="md"
        data={ACTIONS.map((value) => ({ value, label: text(`filters.${value}`) }))}
        value={action.kind}
        onChange={({ currentTarget }) =>
          form.set("action", newAction(currentTarget.value as Action["kind"]))
        }
      />
      {action.kind === "file" && (
        <TextInput
          label={text("filters.folder")}
          description={text("filters.folder.hint")}
          placeholder={text("filters.folder.example")}
          autoComplete="off"
          value={action.folder}
          error={form.errors["action.folder"]}
          onChange={({ currentTarget }) =>
            form.set("action", { kind: "file", folder: currentTarget.value })
          }
        />
      )}
      {action.kind === "discard" && <Text size="sm">{text("filters.discard.text")}</Text>}
    </Form>
  );
}

const newAction = (kind: Action["kind"]): Action =>
  kind === "file" ? { kind, folder: "" } : { kind };

type Condition = Filter["conditions"][number];

/** Addresses are compared as a whole, so that a part of one never matches. */
const neverMatches = ({ field, test, value }: Condition) =>
  field !== "subject" &&
  test === "is" &&
  value.trim() !== "" &&
  looksLikeAddress(value, null) !== null;

type FilterConditionsProps = {
  conditions: Condition[];
  errors: FieldErrors;
  onChange: (conditions: Condition[]) => void;
};

function FilterConditions({ conditions, errors, onChange }: FilterConditionsProps) {
  const text = useTexts();
  const [focused, setFocused] = useState<number | null>(null);
  const change = (at: number, fields: Partial<Condition>) =>
    onChange(conditions.with(at, { ...conditions[at]!, ...fields }));
  return (
    <div className={classes.conditions}>
      {conditions.map((condition, at) => (
        <fieldset key={at} className={classes.condition}>
          <legend className={classes.legend}>
            {text("filters.condition", { number: at + 1 })}
          </legend>
          <NativeSelect
            aria-label={text("filters.condition.field", { number: at + 1 })}
            size="md"
            data={FIELDS.map((value) => ({ value, label: text(`filters.${value}`) }))}
            value={condition.field}
            onChange={({ currentTarget }) =>
              change(at, { field: currentTarget.value as Condition["field"] })
            }
          />
          <NativeSelect
            aria-label={text("filters.condition.test", { number: at + 1 })}
            className={classes.operator}
            size="md"
            data={TESTS.map((value) => ({ value, label: text(`filters.${value}`) }))}
            value={condition.test}
            onChange={({ currentTarget }) =>
              change(at, { test: currentTarget.value as Condition["test"] })
            }
          />
          <TextInput
            aria-label={text("filters.condition.value", { number: at + 1 })}
            className={classes.value}
            autoComplete="off"
            value={condition.value}
            error={
              errors[`conditions.${at}.value`] ??
              (focused !== at && neverMatches(condition) && text("filters.condition.never"))
            }
            onFocus={() => setFocused(at)}
            onBlur={() => setFocused(null)}
            onChange={({ currentTarget }) => change(at, { value: currentTarget.value })}
          />
          {conditions.length > 1 && (
            <CloseButton
              aria-label={text("filters.condition.remove", { number: at + 1 })}
              onClick={() => onChange(conditions.toSpliced(at, 1))}
            />
          )}
        </fieldset>
      ))}
      {conditions.length < CONDITIONS_MAX && (
        <div>
          <Button
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() =>
              onChange([...conditions, { field: "subject", test: "contains", value: "" }])
            }
          >
            {text("filters.condition.add")}
          </Button>
        </div>
      )}
    </div>
  );
}

/** "Sender contains “shop” and subject is exactly “invoice”" */
export function describeConditions({ match, conditions }: Filter, text: GetText): string {
  const words = conditions
    .map(({ field, test, value }) => text(`filters.${field}.${test}`, { value }))
    .join(text(`filters.match.${match}.join`));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const describeAction = (action: Filter["action"], text: GetText): string =>
  action.kind === "file"
    ? text("filters.file.to", { folder: action.folder })
    : text(`filters.${action.kind}`);
