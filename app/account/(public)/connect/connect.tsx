"use client";

import { Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import type { SubmitEvent } from "react";

import { accountLink } from "#app/account/account-link.tsx";
import { connectQuery } from "#app/account/queries.ts";
import { SetUpGuide } from "#app/account/set-up-guide.tsx";
import { ConsoleError } from "#app/console/console-client.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";
import { formText } from "#app/console/ui/form/form-text.ts";
import { RichText, useTexts } from "#app/console/ui/texts.tsx";

/** Shows settings for any address. The address is kept in the URL. */
export function Connect() {
  const text = useTexts();
  const email = useSearchParams().get("email") ?? "";
  const connect = useQuery(connectQuery(email));
  const isUnknown =
    connect.error instanceof ConsoleError && [404, 422].includes(connect.error.status);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const typed = formText(new FormData(event.currentTarget), "email").trim();
    replaceSearch(`?email=${encodeURIComponent(typed)}`);
  }

  return (
    <Stack gap="md">
      <PageHeader title={text("connect")} description={text("connect.text")} />
      <Panel>
        <form onSubmit={handleSubmit} method="get" key={email}>
          <Group gap="xs" align="flex-end">
            <TextInput
              name="email"
              type="email"
              label={text("email")}
              defaultValue={email}
              autoComplete="email"
              required
              withAsterisk={false}
              flex="1 1 240px"
            />
            <Button type="submit" size="md">
              {text("connect.show")}
            </Button>
          </Group>
        </form>
        {isUnknown && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)" mt="sm">
            {text("connect.unknown")}
          </Text>
        )}
        <Text size="sm" c="dimmed" mt="sm">
          <RichText id="connect.signIn" values={{ link: accountLink("/account/set-up") }} />
        </Text>
      </Panel>
      {email !== "" && !isUnknown && (
        <QueryView
          query={connect}
          noun={text("noun.settings")}
          skeleton={<Skeleton height={480} />}
        >
          {(setUp) => <SetUpGuide setUp={setUp} />}
        </QueryView>
      )}
    </Stack>
  );
}
