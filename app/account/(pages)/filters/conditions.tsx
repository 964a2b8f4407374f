import { Button, CloseButton, NativeSelect, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";

import type { Filter } from "#app/account/rule-queries.ts";
import { isEmail } from "#app/console/ui/form/checks.ts";
import type { FieldErrors } from "#app/console/ui/form/field-errors.ts";

import classes from "./conditions.module.css";
import { FIELD_LABELS, TEST_LABELS } from "./filter-labels.ts";

type Condition = Filter["conditions"][number];

export const CONDITIONS_MAX = 10;

const NEVER_MATCHES =
  "This never matches. Enter a full address such as ann@example.com, or use “contains”.";

/** Addresses are compared as a whole, so that a part of one never matches. */
const neverMatches = ({ field, test, value }: Condition) =>
  field !== "subject" && test === "is" && value.trim() !== "" && isEmail(value, null) !== null;

const optionsOf = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

export function FilterConditions({
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
