import { Button, CloseButton, NativeSelect, Text, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";

import type { Filter } from "#app/account/queries.ts";
import { looksLikeAddress } from "#app/console/ui/form/checks.ts";
import type { FieldErrors } from "#app/console/ui/form/field-errors.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import classes from "./filter-form.module.css";

type Action = Filter["action"];

const NEW: Filter = {
  name: "",
  isOn: true,
  match: "all",
  conditions: [{ field: "from", test: "contains", value: "" }],
  action: { kind: "file", folder: "" },
};

const MATCHES = [
  { value: "all", label: "All conditions" },
  { value: "any", label: "Any condition" },
];

const ACTION_LABELS: Record<Filter["action"]["kind"], string> = {
  file: "Move to a folder",
  flag: "Star",
  read: "Mark as read",
  discard: "Delete",
};

const ACTIONS = Object.entries(ACTION_LABELS).map(([value, label]) => ({ value, label }));

const CONDITIONS_MAX = 10;

const LABELS = {
  name: "Name",
  "action.folder": "Folder",
  ...Object.fromEntries(
    Array.from({ length: CONDITIONS_MAX }, (_, at) => [
      `conditions.${at}.value`,
      `Value of condition ${at + 1}`,
    ]),
  ),
};

/**
 * @param initial null to create a filter
 * @param place of the filter in the list
 */
export function FilterForm({
  initial,
  place,
  send,
  onDone,
}: {
  initial: Filter | null;
  place: number;
  send: (filter: Filter) => Promise<unknown>;
  onDone: () => void;
}) {
  const form = useForm<Filter, unknown>({
    initialValues: initial ?? NEW,
    labels: LABELS,
    draft: `filter-${place}`,
    send,
    within: `filters.${place}`,
    onDone,
  });
  const { match, conditions, action } = form.values;

  return (
    <Form
      form={form}
      actions={
        <div>
          <SubmitButton form={form}>{initial ? "Save filter" : "Create filter"}</SubmitButton>
        </div>
      }
    >
      <TextInput {...form.field("name")} placeholder="Invoices" autoComplete="off" data-autofocus />
      <NativeSelect
        label="Match"
        size="md"
        data={MATCHES}
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
        label="Action"
        size="md"
        data={ACTIONS}
        value={action.kind}
        onChange={({ currentTarget }) =>
          form.set("action", newAction(currentTarget.value as Action["kind"]))
        }
      />
      {action.kind === "file" && (
        <TextInput
          label="Folder"
          description="Created if it doesn’t exist. Separate subfolders with /."
          placeholder="Invoices/2026"
          autoComplete="off"
          value={action.folder}
          error={form.errors["action.folder"]}
          onChange={({ currentTarget }) =>
            form.set("action", { kind: "file", folder: currentTarget.value })
          }
        />
      )}
      {action.kind === "discard" && (
        <Text size="sm">Deleted mail doesn’t go to the trash and can’t be restored.</Text>
      )}
    </Form>
  );
}

function newAction(kind: Action["kind"]): Action {
  return kind === "file" ? { kind, folder: "" } : { kind };
}

type Condition = Filter["conditions"][number];

const NEVER_MATCHES =
  "This never matches. Enter a full address such as ann@example.com, or use “contains”.";

/** Addresses are compared as a whole, so that a part of one never matches. */
const neverMatches = ({ field, test, value }: Condition) =>
  field !== "subject" &&
  test === "is" &&
  value.trim() !== "" &&
  looksLikeAddress(value, null) !== null;

const optionsOf = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

function FilterConditions({
  conditions,
  errors,
  onChange,
}: {
  conditions: Condition[];
  errors: FieldErrors;
  onChange: (conditions: Condition[]) => void;
}) {
  const [focused, setFocused] = useState<number | null>(null);
  const change = (at: number, fields: Partial<Condition>) =>
    onChange(conditions.with(at, { ...conditions[at]!, ...fields }));
  return (
    <div className={classes.conditions}>
      {conditions.map((condition, at) => (
        <fieldset key={at} className={classes.condition}>
          <legend className={classes.legend}>Condition {at + 1}</legend>
          <NativeSelect
            aria-label={`Field of condition ${at + 1}`}
            size="md"
            data={optionsOf(FIELD_LABELS)}
            value={condition.field}
            onChange={({ currentTarget }) =>
              change(at, { field: currentTarget.value as Condition["field"] })
            }
          />
          <NativeSelect
            aria-label={`Operator of condition ${at + 1}`}
            className={classes.operator}
            size="md"
            data={optionsOf(TEST_LABELS)}
            value={condition.test}
            onChange={({ currentTarget }) =>
              change(at, { test: currentTarget.value as Condition["test"] })
            }
          />
          <TextInput
            aria-label={`Value of condition ${at + 1}`}
            className={classes.value}
            autoComplete="off"
            value={condition.value}
            error={
              errors[`conditions.${at}.value`] ??
              (focused !== at && neverMatches(condition) && NEVER_MATCHES)
            }
            onFocus={() => setFocused(at)}
            onBlur={() => setFocused(null)}
            onChange={({ currentTarget }) => change(at, { value: currentTarget.value })}
          />
          {conditions.length > 1 && (
            <CloseButton
              aria-label={`Remove condition ${at + 1}`}
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
            Add condition
          </Button>
        </div>
      )}
    </div>
  );
}

const FIELD_LABELS: Record<Condition["field"], string> = {
  from: "Sender",
  to: "Recipient (To or Cc)",
  subject: "Subject",
};

const TEST_LABELS: Record<Condition["test"], string> = {
  contains: "contains",
  is: "is exactly",
};

/** "Sender contains “shop” and subject is exactly “invoice”" */
export function describeConditions({ match, conditions }: Filter): string {
  const [first = "", ...rest] = conditions.map(
    ({ field, test, value }) => `${FIELD_LABELS[field]} ${TEST_LABELS[test]} “${value}”`,
  );
  const others = rest.map((words) => words[0]!.toLowerCase() + words.slice(1));
  return [first, ...others].join(match === "all" ? " and " : " or ");
}

export function describeAction(action: Filter["action"]): string {
  return action.kind === "file" ? `Move to ${action.folder}` : ACTION_LABELS[action.kind];
}
