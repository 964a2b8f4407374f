"use client";

import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { stateOf } from "#app/console/(pages)/api-keys/key-words.ts";
import { apiKeyQuery } from "#app/console/(pages)/api-keys/queries.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { ApiKeySkeleton } from "./api-key-skeleton.tsx";
import { KeyFacts } from "./key-facts.tsx";
import { KeyRequests } from "./key-requests.tsx";
import { Revoke } from "./revoke.tsx";
import { Settings } from "./settings.tsx";

export function ApiKey({ id }: { id: string }) {
  const key = useQuery(apiKeyQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "API keys", href: "/console/api-keys" }]} />
      <QueryView query={key} what="this API key" skeleton={<ApiKeySkeleton />} titleOrder={1}>
        {(key) => (
          <>
            <PageHeader title={key.name} sentence={<Status {...stateOf(key)} />} />
            <Stack gap="md">
              <KeyFacts apiKey={key} />
              <KeyRequests apiKey={key} />
              {key.revoked_at === null && (
                <>
                  <Settings apiKey={key} />
                  <Revoke apiKey={key} />
                </>
              )}
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}
