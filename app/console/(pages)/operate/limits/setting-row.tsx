"use client";

import { Button, Text, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { formatCount } from "#app/console/ui/format.ts";
import { FormError } from "#app/console/ui/form-error.tsx";
import { ConsoleError } from "#app/console/console-client.ts";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { toast } from "#app/console/ui/toast.tsx";
import { toSentence } from "#app/console/ui/server-text.ts";

import classes from "./limits.module.css";
import { type Setting, useChangeSetting } from "./queries.ts";

export function LimitSettingRow({ setting }: { setting: Setting }) {
  const { name, value, masked, meaning, changed_at: changedAt } = setting;
  const change = useChangeSetting(name);
  const previous = changedAt === null ? null : String(value);
  const isRefused = change.error instanceof ConsoleError && change.error.status === 422;

  function save(next: string | null) {
    const message = next === null ? `${name} reset to its default` : `${name} set to ${next}`;
    // The value from before a change isn't known if it was masked.
    const undo = masked ? undefined : () => change.mutate(previous);
    change.mutate(next, { onSuccess: () => toast(message, { undo }) });
  }
  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    save(formText(new FormData(event.currentTarget), name).trim());
  }

  return (
    <li className={classes.setting}>
      <div>
        <label className={classes.name} htmlFor={name}>
          {name}
        </label>
        <Text c="dimmed">{toSentence(meaning)}</Text>
        <Text size="sm" c="dimmed">
          {formatBounds(setting)}
          {changedAt !== null && (
            <>
              {" "}
              Changed <RelativeTime at={changedAt} />.
            </>
          )}
        </Text>
      </div>
      <form className={classes.form} onSubmit={handleSubmit} method="post" noValidate>
        <TextInput
          id={name}
          name={name}
          defaultValue={masked ? "" : String(value)}
          placeholder={masked ? String(value) : undefined}
          error={isRefused && change.error?.message}
          autoComplete="off"
          spellCheck={false}
          size="sm"
        />
        <Button type="submit" variant="default" aria-busy={change.isPending}>
          Save
        </Button>
        {changedAt !== null && (
          <Button size="compact-sm" variant="subtle" onClick={() => save(null)}>
            Reset to {String(setting.default)}
          </Button>
        )}
        {!isRefused && <FormError error={change.error} />}
      </form>
    </li>
  );
}

function formatBounds({ min, max, default: defaultValue }: Setting): string {
  const fallback = typeof defaultValue === "number" ? formatCount(defaultValue) : defaultValue;
  if (min === null || max === null) return `Default ${fallback}.`;
  return `From ${formatCount(min)} to ${formatCount(max)}, default ${fallback}.`;
}
