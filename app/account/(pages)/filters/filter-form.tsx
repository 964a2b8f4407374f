import { Button, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import type { Filter } from "#app/account/rule-queries.ts";
import { FormError } from "#app/console/ui/form-error.tsx";

import { FilterConditions } from "./conditions.tsx";
import { ACTION_LABELS } from "./filter-labels.ts";

type Action = Filter["action"];

const NEW: Filter = {
  ...{ name: "", is_on: true, match: "all" },
  conditions: [{ field: "from", test: "contains", value: "" }],
  action: { kind: "file", folder: "" },
};

const MATCHES = [
  { value: "all", label: "All conditions" },
  { value: "any", label: "Any condition" },
];

const ACTIONS = Object.entries(ACTION_LABELS).map(([value, label]) => ({ value, label }));

/** @param initial null to create a filter */
export function FilterForm({
  initial,
  isPending,
  error,
  onSubmit,
}: {
  initial: Filter | null;
  isPending: boolean;
  error: Error | null;
  onSubmit: (filter: Filter) => void;
}) {
  const [filter, setFilter] = useState(initial ?? NEW);
  const change = (fields: Partial<Filter>) => setFilter({ ...filter, ...fields });
  const { action } = filter;

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    onSubmit(filter);
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate>
      <Stack gap="md">
        <TextInput
          label="Name"
          placeholder="Invoices"
          autoComplete="off"
          value={filter.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          data-autofocus
        />
        <NativeSelect
          label="Match"
          size="md"
          data={MATCHES}
          value={filter.match}
          onChange={({ currentTarget }) =>
            change({ match: currentTarget.value === "any" ? "any" : "all" })
          }
        />
        <FilterConditions
          conditions={filter.conditions}
          onChange={(conditions) => change({ conditions })}
        />
        <NativeSelect
          label="Action"
          size="md"
          data={ACTIONS}
          value={action.kind}
          onChange={({ currentTarget }) =>
            change({ action: newAction(currentTarget.value as Action["kind"]) })
          }
        />
        {action.kind === "file" && (
          <TextInput
            label="Folder"
            description="Created if it doesn’t exist. Separate subfolders with /."
            placeholder="Invoices/2026"
            autoComplete="off"
            value={action.folder}
            onChange={({ currentTarget }) =>
              change({ action: { kind: "file", folder: currentTarget.value } })
            }
          />
        )}
        {action.kind === "discard" && (
          <Text size="sm">Deleted mail doesn’t go to the trash and can’t be restored.</Text>
        )}
        <FormError error={error} />
        <div>
          <Button type="submit" aria-busy={isPending}>
            {initial ? "Save filter" : "Create filter"}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

function newAction(kind: Action["kind"]): Action {
  return kind === "file" ? { kind, folder: "" } : { kind };
}
