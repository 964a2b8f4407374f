import { NativeSelect, Text, TextInput } from "@mantine/core";

import type { Filter } from "#app/account/rule-queries.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

import { CONDITIONS_MAX, FilterConditions } from "./conditions.tsx";
import { ACTION_LABELS } from "./filter-labels.ts";

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

const ACTIONS = Object.entries(ACTION_LABELS).map(([value, label]) => ({ value, label }));

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
