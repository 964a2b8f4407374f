"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useSearchParams } from "next/navigation";

import { DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { FilterChip, FilterChips } from "#app/console/ui/filter-chips.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { isEmptyList, ListView } from "#app/console/ui/list-view.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { usePageCursor } from "#app/console/ui/pagination.tsx";

import { apiKeyList } from "./api-key-columns.tsx";
import { CompanyAllowList } from "./company-allow-list.tsx";
import { apiKeysQuery, KEY_SORTS } from "./queries.ts";
import { SendEmailSamples } from "./send-email-samples.tsx";

const HEAD = {
  title: "API keys",
  sentence: "Applications use API keys to send emails and call the API.",
  help: "first-email",
} as const;
const SKELETON_ROWS = 5;

export function ApiKeys() {
  const place = usePageCursor();
  const state = useSearchParams().get("state") === "revoked" ? "revoked" : "active";
  const params = useListParams(KEY_SORTS);
  const keys = useQuery(apiKeysQuery(place, state, params.sort));
  const isEmpty = isEmptyList(keys, place, false);
  const isFirstUse = isEmpty && state === "active";
  const layout = apiKeyList(state);
  const create = (
    <Button component={Link} href="/console/api-keys/new">
      Create API key
    </Button>
  );
  return (
    <>
      <PageHeader {...HEAD} action={keys.data && !isFirstUse && create} />
      {keys.data && (
        <FilterBar>
          <FilterChips label="Status">
            <FilterChip label="Active" href="?" isActive={state === "active"} />
            <FilterChip label="Revoked" href="?state=revoked" isActive={state === "revoked"} />
          </FilterChips>
          {!isEmpty && <ListTools layout={layout} params={params} />}
        </FilterBar>
      )}
      <ListView
        {...{ layout, place, params }}
        query={keys}
        skeletonRows={SKELETON_ROWS}
        isFiltered={false}
        empty={state === "active" ? <NoApiKeys /> : <NoRevokedKeys />}
        below={state === "active" && <CompanyAllowList />}
      />
    </>
  );
}

function NoRevokedKeys() {
  return (
    <EmptyState title="No revoked API keys">
      <Text c="dimmed">Revoked keys stay here, so that you can see what they were used for.</Text>
    </EmptyState>
  );
}

/** Shown until the search parameters are known. */
export function ApiKeysSkeleton() {
  return (
    <>
      <PageHeader {...HEAD} />
      <DataTableSkeleton layout={apiKeyList("active")} rows={SKELETON_ROWS} />
    </>
  );
}

function NoApiKeys() {
  return (
    <EmptyState title="Create your first API key">
      <Text c="dimmed">
        Applications use an API key to send emails and call the API. Create a separate key for each
        application, so you can see what each one does and revoke one without affecting the others.
      </Text>
      <div>
        <Button component={Link} href="/console/api-keys/new">
          Create API key
        </Button>
      </div>
      <Text mt="xs">Then run this code to send an email:</Text>
      <SendEmailSamples />
    </EmptyState>
  );
}
