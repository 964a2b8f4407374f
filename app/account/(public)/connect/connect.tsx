"use client";

import { Anchor, Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import type { SubmitEvent } from "react";

import { connectQuery } from "#app/account/queries.ts";
import { SetUpGuide } from "#app/account/set-up-guide.tsx";
import { ConsoleError } from "#app/console/console-client.ts";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";
import { formText } from "#app/console/ui/form/use-form.ts";

/** Shows settings for any address. The address is kept in the URL. */
export function Connect() {
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
      <PageHeader
        title="Connect a mail app"
        description="Look up the settings for your email address."
      />
      <Panel>
        <form onSubmit={handleSubmit} method="get" key={email}>
          <Group gap="xs" align="flex-end">
            <TextInput
              name="email"
              type="email"
              label="Email address"
              defaultValue={email}
              autoComplete="email"
              required
              withAsterisk={false}
              flex="1 1 240px"
            />
            <Button type="submit" size="md">
              Show settings
            </Button>
          </Group>
        </form>
        {isUnknown && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)" mt="sm">
            This server doesn’t handle mail for that domain. Check the address.
          </Text>
        )}
        <Text size="sm" c="dimmed" mt="sm">
          <Anchor component={Link} href="/account/set-up" inherit underline="always">
            Sign in
          </Anchor>{" "}
          to create an app password and to manage your filters and sessions.
        </Text>
      </Panel>
      {email !== "" && !isUnknown && (
        <QueryView query={connect} noun="the settings" skeleton={<Skeleton height={480} />}>
          {(setUp) => <SetUpGuide setUp={setUp} />}
        </QueryView>
      )}
    </Stack>
  );
}
