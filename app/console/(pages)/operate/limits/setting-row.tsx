"use client";

import { Button, Text, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { inFull } from "#app/console/ui/charts/numbers.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { ConsoleError } from "#app/console/console-client.ts";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { textOf } from "#app/console/ui/text-of.ts";
import { toast } from "#app/console/ui/toast.ts";

import classes from "./limits.module.css";
import { type Setting, useChangeSetting } from "./queries.ts";

export function SettingRow({ setting }: { setting: Setting }) {
  const { name, value, meaning, changed_at: changedAt } = setting;
  const change = useChangeSetting(name);
  const previous = changedAt === null ? null : String(value);
  const isRefused = change.error instanceof ConsoleError && change.error.status === 422;

  function save(next: string | null) {
    const message = next === null ? `${name} reset to its default` : `${name} set to ${next}`;
    const undo = () => change.mutate(previous);
    change.mutate(next, { onSuccess: () => toast(message, { undo }) });
  }
  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    save(textOf(new FormData(event.currentTarget), name).trim());
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
              Changed <RelativeMoment at={changedAt} />.
            </>
          )}
        </Text>
      </div>
      <form className={classes.form} onSubmit={handleSubmit} method="post" noValidate>
        <TextInput
          id={name}
          name={name}
          defaultValue={String(value)}
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
        {!isRefused && <FormProblem error={change.error} />}
      </form>
    </li>
  );
}

const toSentence = (meaning: string) => `${meaning[0]!.toUpperCase()}${meaning.slice(1)}.`;

function formatBounds({ min, max, default: defaultValue }: Setting): string {
  const fallback = typeof defaultValue === "number" ? inFull(defaultValue) : defaultValue;
  if (min === null || max === null) return `Default ${fallback}.`;
  return `From ${inFull(min)} to ${inFull(max)}, default ${fallback}.`;
}
