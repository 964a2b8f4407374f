"use client";

import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { keyStatus } from "#app/console/(pages)/api-keys/key-labels.ts";
import { apiKeyQuery } from "#app/console/(pages)/api-keys/queries.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { KeyFacts } from "./key-facts.tsx";
import { KeyRequests } from "./key-requests.tsx";
import { RevokeApiKey } from "./revoke-api-key.tsx";
import { ApiKeySettings } from "./api-key-settings.tsx";

const SKELETON_LINES = 7;

export function ApiKey({ id }: { id: string }) {
  const key = useQuery(apiKeyQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "API keys", href: "/console/api-keys" }]} />
      <QueryView query={key} noun="this API key" skeleton={<ApiKeySkeleton />} titleOrder={1}>
        {(key) => (
          <>
            <PageHeader
              documentTitle={`${key.name} · API keys`}
              title={key.name}
              description={<Status {...keyStatus(key)} />}
            />
            <Stack gap="md">
              <KeyFacts apiKey={key} />
              <KeyRequests apiKey={key} />
              {key.revokedAt === null && (
                <>
                  <ApiKeySettings apiKey={key} />
                  <RevokeApiKey apiKey={key} />
                </>
              )}
            </Stack>
          </>
        )}
      </QueryView>
    </>
  );
}

function ApiKeySkeleton() {
  return (
    <>
      <Skeleton height={20} width="30%" mt={4} mb={8} />
      <Skeleton height={12} width={80} mb={32} />
      <Panel>
        <Stack gap={20}>
          {Array.from({ length: SKELETON_LINES }, (_, line) => (
            <Skeleton key={line} height={12} width={`${30 + ((line * 17) % 30)}%`} />
          ))}
        </Stack>
      </Panel>
    </>
  );
}
