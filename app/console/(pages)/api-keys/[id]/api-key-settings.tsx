"use client";

import { Button, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import { AllowListField } from "#app/console/(pages)/api-keys/allow-list-field.tsx";
import { parseAllowList } from "#app/console/(pages)/api-keys/allow-list.ts";
import { isAllowListError, isNameError } from "#app/console/(pages)/api-keys/key-field-errors.ts";
import {
  type ApiKeyDetail,
  keyChoicesQuery,
  useUpdateApiKey,
} from "#app/console/(pages)/api-keys/queries.ts";
import formClasses from "#app/console/(pages)/api-keys/api-key-form.module.css";
import { FormError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { toast } from "#app/console/ui/toast.tsx";

export function ApiKeySettings({ apiKey }: { apiKey: ApiKeyDetail }) {
  return (
    <>
      <Panel title="Name">
        <ApiKeyNameForm apiKey={apiKey} />
      </Panel>
      <Panel title="Allow-list">
        <ApiKeyAllowListForm apiKey={apiKey} />
      </Panel>
    </>
  );
}

function ApiKeyNameForm({ apiKey }: { apiKey: ApiKeyDetail }) {
  const update = useUpdateApiKey(apiKey.id);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = formText(new FormData(event.currentTarget), "name");
    if (!update.isPending) update.mutate({ name }, { onSuccess: () => toast("API key renamed") });
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
          error={isNameError(update.error) && update.error?.message}
        />
        {!isNameError(update.error) && <FormError error={update.error} />}
        <Button type="submit" variant="default" aria-busy={update.isPending}>
          Rename key
        </Button>
      </Stack>
    </form>
  );
}

function ApiKeyAllowListForm({ apiKey }: { apiKey: ApiKeyDetail }) {
  const choices = useQuery(keyChoicesQuery);
  const update = useUpdateApiKey(apiKey.id);
  const [text, setText] = useState(apiKey.allowed_addresses.join("\n"));

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (update.isPending) return;
    update.mutate(
      { allowed_addresses: parseAllowList(text) },
      { onSuccess: () => toast("Allow-list saved. It applies from the next request.") },
    );
  }

  return (
    <form onSubmit={handleSubmit} method="post" className={formClasses.form}>
      <Stack gap="md" align="stretch">
        <AllowListField
          value={text}
          onChange={setText}
          choices={choices.data}
          error={isAllowListError(update.error) ? (update.error?.message ?? null) : null}
        />
        {!isAllowListError(update.error) && <FormError error={update.error} />}
        <div>
          <Button type="submit" variant="default" aria-busy={update.isPending}>
            Save allow-list
          </Button>
        </div>
      </Stack>
    </form>
  );
}
