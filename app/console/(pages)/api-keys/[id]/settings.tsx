"use client";

import { Button, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import { AllowListField } from "#app/console/(pages)/api-keys/allow-list-field.tsx";
import { isOfAllowList, isOfName } from "#app/console/(pages)/api-keys/key-problems.ts";
import { entriesOf } from "#app/console/(pages)/api-keys/key-words.ts";
import {
  type ApiKeyDetail,
  keyChoicesQuery,
  useUpdateApiKey,
} from "#app/console/(pages)/api-keys/queries.ts";
import formClasses from "#app/console/(pages)/api-keys/key-form.module.css";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { textOf } from "#app/console/ui/text-of.ts";
import { toast } from "#app/console/ui/toast.ts";

/** What of a key can be changed: its name and from where it may be used. */
export function Settings({ apiKey }: { apiKey: ApiKeyDetail }) {
  return (
    <>
      <Panel title="Name">
        <Name apiKey={apiKey} />
      </Panel>
      <Panel title="Allow-list">
        <AllowList apiKey={apiKey} />
      </Panel>
    </>
  );
}

function Name({ apiKey }: { apiKey: ApiKeyDetail }) {
  const update = useUpdateApiKey(apiKey.id);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = textOf(new FormData(event.currentTarget), "name");
    if (!update.isPending) update.mutate({ name }, { onSuccess: () => toast("Renamed") });
  }

  return (
    <form onSubmit={handleSubmit} method="post" className={formClasses.form}>
      <Stack gap="md" align="flex-start">
        <TextInput
          name="name"
          aria-label="Name"
          w="100%"
          defaultValue={apiKey.name}
          maxLength={50}
          autoComplete="off"
          error={isOfName(update.error) && update.error?.message}
        />
        {!isOfName(update.error) && <FormProblem error={update.error} />}
        <Button
          type="submit"
          variant="default"
          data-loading={update.isPending || undefined}
          aria-busy={update.isPending}
        >
          Rename
        </Button>
      </Stack>
    </form>
  );
}

function AllowList({ apiKey }: { apiKey: ApiKeyDetail }) {
  const choices = useQuery(keyChoicesQuery);
  const update = useUpdateApiKey(apiKey.id);
  const [text, setText] = useState(apiKey.allowed_addresses.join("\n"));

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (update.isPending) return;
    update.mutate(
      { allowed_addresses: entriesOf(text) },
      { onSuccess: () => toast("The allow-list counts from the next call on") },
    );
  }

  return (
    <form onSubmit={handleSubmit} method="post" className={formClasses.form}>
      <Stack gap="md" align="stretch">
        <AllowListField
          value={text}
          onChange={setText}
          choices={choices.data}
          error={isOfAllowList(update.error) ? (update.error?.message ?? null) : null}
        />
        {!isOfAllowList(update.error) && <FormProblem error={update.error} />}
        <div>
          <Button
            type="submit"
            variant="default"
            data-loading={update.isPending || undefined}
            aria-busy={update.isPending}
          >
            Save allow-list
          </Button>
        </div>
      </Stack>
    </form>
  );
}
